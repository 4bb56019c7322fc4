package dev.sojourn.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A Markdown table whose columns line up when it is read as text too. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... head) {
        rows.add(List.of(head));
    }

    public Table row(String... cells) {
        if (cells.length != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    "the table has " + rows.get(0).size() + " columns, the row " + Arrays.toString(cells));
        }
        rows.add(List.of(cells));
        return this;
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < columns; i++) {
                String cell = rows.get(r).get(i);
                String padding = " ".repeat(widths[i] - cell.length());
                // The first column says what, the others are numbers.
                text.append("| ")
                        .append(i == 0 ? cell + padding : padding + cell)
                        .append(' ');
            }
            text.append("|\n");
            if (r == 0) {
                for (int i = 0; i < columns; i++) {
                    text.append('|').append(i == 0 ? "-".repeat(widths[i] + 2) : "-".repeat(widths[i] + 1) + ":");
                }
                text.append("|\n");
            }
        }
        return text.toString();
    }
}
