(function () {
  var box = document.getElementById("filter");
  var count = document.getElementById("filter-count");
  var parts = Array.prototype.slice.call(document.querySelectorAll("[data-names]"));
  document.getElementById("filter-line").hidden = false;
  box.addEventListener("input", function () {
    var words = box.value.toLowerCase().split(/\s+/);
    parts.forEach(function (part) {
      var names = part.getAttribute("data-names").toLowerCase();
      part.hidden = !words.every(function (word) { return names.indexOf(word) >= 0; });
    });
    var rows = parts.filter(function (part) { return part.tagName === "TR"; });
    var shown = rows.filter(function (row) { return !row.hidden; });
    count.value = shown.length + " of " + rows.length;
  });
})();
