# The tables beside this file, as data frames with the types that codebook.csv tells.
#
#     source("read_data.R")
#     tables <- read_data()
#     hands <- tables[["data/ttt_solo_app_hands.csv"]]
#
# Times are in UTC. An empty cell is NA, but in a column of text it stays an empty text. Whole numbers are
# doubles, because times in milliseconds are larger than R's integers. JSON stays text (jsonlite reads it).
# The apostrophe that guards text from outside is taken off.

as_number <- function(cells) as.numeric(ifelse(cells == "", NA, cells))

as_type <- list(
  "text" = identity,
  "guarded text" = function(cells) sub("^'", "", cells),
  "JSON" = identity,
  "integer" = as_number,
  "number" = as_number,
  "logical" = function(cells) {
    ifelse(cells %in% c("1", "True"), TRUE, ifelse(cells %in% c("0", "False"), FALSE, NA))
  },
  "time" = function(cells) as.POSIXct(sub("T", " ", cells), format = "%Y-%m-%d %H:%M:%OS", tz = "UTC")
)

# One table of text; quotes alone have a meaning, and no cell is taken for missing.
read_cells <- function(file) {
  first <- readBin(file, "integer", n = 2, size = 1, signed = FALSE)
  utf16 <- identical(first, c(255L, 254L)) || identical(first, c(254L, 255L))
  read.csv(file,
    colClasses = "character", na.strings = NULL, check.names = FALSE, comment.char = "",
    fileEncoding = if (utf16) "UTF-16" else "UTF-8-BOM", strip.white = FALSE
  )
}

# One table, with its types by column; # stands for the number of a round.
read_table <- function(file, types) {
  table <- read_cells(file)
  for (name in names(table)) {
    type <- types[[gsub("\\.[0-9]+\\.", ".#.", name)]]
    table[[name]] <- as_type[[type]](table[[name]])
  }
  table
}

# Every table of the folder by its file's name, as codebook.csv has it.
read_data <- function(folder = ".") {
  book <- read_cells(file.path(folder, "codebook.csv"))
  files <- unique(book$file)
  tables <- lapply(files, function(file) {
    columns <- book[book$file == file, ]
    read_table(file.path(folder, file), as.list(setNames(columns$type, columns$column)))
  })
  setNames(tables, files)
}
