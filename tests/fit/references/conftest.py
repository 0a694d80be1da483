"""Scripts here may import software that the tests' environment lacks: pytest leaves them alone."""

collect_ignore_glob = ["make_*.py"]
