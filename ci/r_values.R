# Print the results of R's packages for published ratings as JSON:
#
#     Rscript ci/r_values.R > tests/helpers/r_values.json
#
# On Debian, install the packages with: apt-get install r-cran-jsonlite r-cran-psych r-cran-vcd r-cran-epir.
# The tests read the stored results. If R is installed, tests/statistics/test_r_values.py compares them with new results.
#
# To add results, add a data set to `square` or `by_rater`, or a function to `of_square` or
# `of_raters`, under the name of the R function that it calls. Then run the command above.

Sys.setenv(TZ = "UTC")
packages <- c("psych", "vcd", "epiR")
suppressPackageStartupMessages(invisible(lapply(c("jsonlite", packages), library,
                                                character.only = TRUE)))
pdf(NULL)  # agreementplot also draws a plot

rows <- function(n_columns, ...) matrix(c(...), ncol = n_columns, byrow = TRUE)

# Tables of two raters; rows are the first rater's labels.
square <- list(
  # Cohen (1968)
  cohen_1968 = rows(3, 88, 14, 18, 10, 40, 10, 2, 6, 12),
  # Fleiss (1981), page 213
  fleiss_1981 = rows(3, 75, 1, 4, 5, 4, 1, 0, 0, 10),
  # Landis and Koch (1977), multiple sclerosis, patients of Winnipeg
  winnipeg = rows(4, 38, 5, 0, 1, 33, 11, 3, 0, 10, 14, 5, 6, 3, 7, 3, 10),
  # Stuart (1955), unaided vision of 7477 women: right eye (rows) and left eye
  vision_1955 = rows(4, 1520, 266, 124, 66, 234, 1512, 432, 78,
                     117, 362, 1772, 205, 36, 82, 179, 492),
  # Agresti (1990), page 350: approval of the Prime Minister, twice
  approval = rows(2, 794, 150, 86, 570),
  # Documentation of epi.kappa, its first example
  salmon = rows(2, 19, 10, 6, 256)
)

# Tables with their own disagreement weights, symmetric or not.
weighted <- list(
  # Cohen (1968)
  cohen_1968 = list(table = rows(3, 88, 14, 18, 10, 40, 10, 2, 6, 12),
                    weights = rows(3, 0, 1, 3, 1, 0, 6, 3, 6, 0)),
  cohen_1968_asymmetric = list(table = rows(3, 88, 14, 18, 10, 40, 10, 2, 6, 12),
                               weights = rows(3, 0, 1, 4, 1, 0, 6, 2, 2, 0)),
  # Fleiss, Cohen and Everitt (1969)
  fleiss_1969 = list(table = rows(3, 106, 10, 4, 22, 28, 10, 2, 12, 6),
                     weights = 1 - rows(3, 1, 0, .4444, 0, 1, .6667, .4444, .6667, 1))
)

# Ratings of several raters, with one row per subject and one column per rater.
by_rater <- list(
  # Shrout and Fleiss (1979), table 2
  shrout_fleiss_1979 = rows(4, 9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8,
                            7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7)
)

vcd_kappa <- function(table, weights) {
  result <- Kappa(table, weights = weights)
  both <- confint(result)
  part <- function(name) list(value = result[[name]][["value"]],
                              error = result[[name]][["ASE"]],
                              interval = unname(both[name, ]))
  list(unweighted = part("Unweighted"), weighted = part("Weighted"))
}

test <- function(result) list(statistic = unname(result$statistic),
                              degrees_of_freedom = unname(result$parameter),
                              p = result$p.value)

of_square <- list(
  "vcd::Kappa linear" = function(table) vcd_kappa(table, "Equal-Spacing"),
  "vcd::Kappa quadratic" = function(table) vcd_kappa(table, "Fleiss-Cohen"),
  "vcd::agreementplot" = function(table) {
    drawn <- agreementplot(as.table(table))
    list(b = c(drawn$Bangdiwala), weighted_b = c(drawn$Bangdiwala_Weighted),
         weights = drawn$weights)
  },
  "psych::cohen.kappa" = function(table) {
    result <- cohen.kappa(table)
    list(kappa = result$kappa, error = sqrt(result$var.kappa),
         quadratic = result$weighted.kappa, quadratic_error = sqrt(result$var.weighted))
  },
  "stats::mcnemar.test" = function(table) test(mcnemar.test(table, correct = FALSE)),
  "stats::mcnemar.test corrected" = function(table)
    if (nrow(table) == 2) test(mcnemar.test(table)),
  "stats::binom.test" = function(table)
    if (nrow(table) == 2) list(p = binom.test(table[1, 2], table[1, 2] + table[2, 1])$p.value),
  "epiR::epi.kappa" = function(table) if (nrow(table) == 2) {
    result <- epi.kappa(table, method = "cohen")
    lapply(result[c("prop.agree", "pindex", "bindex", "pabak", "kappa", "mcnemar")],
           function(frame) as.list(frame[1, ]))
  },
  "epiR::epi.kappa fleiss" = function(table) if (nrow(table) == 2)
    as.list(epi.kappa(table, method = "fleiss")$kappa[1, ])
)

of_weighted <- list(
  "vcd::Kappa" = function(data)
    vcd_kappa(data$table, 1 - data$weights / max(data$weights)),
  "psych::cohen.kappa" = function(data) {
    result <- cohen.kappa(data$table, data$weights)
    list(kappa = result$kappa, weighted = result$weighted.kappa,
         weighted_error = sqrt(result$var.weighted))
  }
)

of_raters <- list(
  "psych::ICC" = function(ratings) {
    found <- ICC(ratings, lmer = FALSE)$results
    columns <- c("ICC", "F", "df1", "df2", "p", "lower bound", "upper bound")
    lapply(split(found[columns], found$type), function(frame) as.list(frame[1, ]))
  },
  "epiR::epi.ccc" = function(ratings) as.list(epi.ccc(ratings[, 1], ratings[, 2])$rho.c)
)

described <- function(data, functions) lapply(data, function(table) {
  found <- lapply(functions, function(of) of(if (is.matrix(table)) unname(table) else table))
  list(data = table, values = lapply(Filter(Negate(is.null), found), as.list))
})

versions <- vapply(packages, function(name) as.character(packageVersion(name)), "")
cat(toJSON(
  list(versions = as.list(c(R = paste(R.version$major, R.version$minor, sep = "."), versions)),
       square = described(square, of_square),
       weighted = described(weighted, of_weighted),
       by_rater = described(by_rater, of_raters)),
  auto_unbox = TRUE, digits = I(15), na = "null", pretty = 1
), "\n")
