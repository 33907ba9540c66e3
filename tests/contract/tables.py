"""The tables of the pages that list public documents, as lines of Markdown."""

import re
import sys


def cells_of(line):
    """The cells of a row of a table; `\\|` is a character."""
    cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
    return [cell.strip() for cell in cells]


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def table_at(lines, *first):
    """The line after the head of the table whose first columns are these, and the line after its last row."""
    for number, line in enumerate(lines):
        if line.startswith("|") and cells_of(line)[:len(first)] == list(first):
            end = number
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            return number + 2, end
    sys.exit(f"there is no table whose first columns are {', '.join(first)}")
