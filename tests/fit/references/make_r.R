# Make r.json from trials.csv and a table of six lengths: R's glm, cluster-robust errors from its
# scores, and MASS::dose.p.
#
#   cd tests/fit/references && Rscript make_r.R      (Debian: r-base-core, r-cran-mass)

strict <- glm.control(epsilon = 1e-14, maxit = 100)

trials <- read.csv("trials.csv")
doublings <- log2(trials$length / 1024)
trials$l <- -doublings
trials$m <- -doublings / 7 * 4 * trials$depth * (1 - trials$depth)
trials$r <- exp((trials$depth - 1) / 0.1)
curve <- glm(score ~ l + m + r, family = binomial, data = trials, control = strict)
scores <- rowsum(model.matrix(curve) * (trials$score - fitted(curve)), trials$cluster)
n_clusters <- nrow(scores)
bread <- summary(curve)$cov.unscaled
robust <- bread %*% crossprod(scores) %*% bread * n_clusters / (n_clusters - 1)

six <- data.frame(
  length = 4096 * 2^(0:5), n = 220, right = c(211, 207, 199, 193, 181, 158)
)
six$x <- log2(six$length)
line <- glm(cbind(right, n - right) ~ x, family = binomial, data = six, control = strict)
dose <- MASS::dose.p(line, p = 0.85)

numbers <- function(values) paste0("[", paste(sprintf("%.17g", values), collapse = ", "), "]")
field <- function(name, value) sprintf(' "%s": %s', name, value)
text <- paste(c(
  field("R", sprintf('"%s"', as.character(getRversion()))),
  field("MASS", sprintf('"%s"', as.character(packageVersion("MASS")))),
  field("coefficients", numbers(coef(curve))),
  field("standard_errors", numbers(sqrt(diag(vcov(curve))))),
  field("robust_standard_errors", numbers(sqrt(diag(robust)))),
  field("log_likelihood", sprintf("%.17g", as.numeric(logLik(curve)))),
  field("aic", sprintf("%.17g", AIC(curve))),
  field("six_lengths", numbers(six$length)),
  field("six_right", numbers(six$right)),
  field("six_n", "220"),
  field("log2_crossing", sprintf("%.17g", as.numeric(dose))),
  field("log2_crossing_error", sprintf("%.17g", as.numeric(attr(dose, "SE"))))
), collapse = ",\n")
writeLines(paste0("{\n", text, "\n}"), "r.json")
