package dev.sojourn.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Bars side by side, one group for each variant or case, as SVG and PNG. */
public final class Bars {
    private final String title;
    private final String y;
    private final List<String> groups = new ArrayList<>();
    private final Map<String, Map<String, Double>> series = new LinkedHashMap<>();

    public Bars(String title, String y) {
        this.title = title;
        this.y = y;
    }

    /** @param value NaN where there is none: the group stays, without a bar */
    public void bar(String group, String kind, double value) {
        String name = group.replace("`", "");
        if (!groups.contains(name)) {
            groups.add(name);
        }
        if (!Double.isNaN(value)) {
            series.computeIfAbsent(kind, any -> new LinkedHashMap<>()).put(name, value);
        }
    }

    public boolean isEmpty() {
        return series.isEmpty();
    }

    public void write(Path folder, String name) throws IOException {
        CategoryChart chart = new CategoryChartBuilder()
                .width(900)
                .height(560)
                .title(title)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotBorderVisible(false);
        chart.getStyler().setLegendBorderColor(Color.WHITE);
        chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
        chart.getStyler().setLegendVisible(series.size() > 1);
        chart.getStyler().setXAxisLabelRotation(45);
        chart.getStyler().setYAxisMin(0.0);
        series.forEach((kind, values) -> chart.addSeries(
                kind,
                groups,
                groups.stream().map(group -> values.getOrDefault(group, 0.0)).toList()));
        String file = folder.resolve(name).toString();
        VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsFormat.SVG);
        BitmapEncoder.saveBitmap(chart, file, BitmapFormat.PNG);
    }
}
