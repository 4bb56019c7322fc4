package dev.sojourn.bench.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.VectorGraphicsEncoder;
import org.knowm.xchart.VectorGraphicsEncoder.VectorGraphicsFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;

/** Lines, one for each variant, as SVG and PNG. */
public final class Plot {
    private final String title;
    private final String x;
    private final String y;
    private final Map<String, TreeMap<Double, Double>> lines = new LinkedHashMap<>();

    public Plot(String title, String x, String y) {
        this.title = title;
        this.x = x;
        this.y = y;
    }

    public void point(String line, double abscissa, double ordinate) {
        if (!Double.isNaN(ordinate)) {
            lines.computeIfAbsent(line, any -> new TreeMap<>()).put(abscissa, ordinate);
        }
    }

    public boolean isEmpty() {
        return lines.isEmpty();
    }

    public void write(Path folder, String name) throws IOException {
        XYChart chart = new XYChartBuilder()
                .width(900)
                .height(560)
                .title(title)
                .xAxisTitle(x)
                .yAxisTitle(y)
                .build();
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setPlotBorderVisible(false);
        chart.getStyler().setLegendBorderColor(Color.WHITE);
        chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
        chart.getStyler().setYAxisMin(0.0);
        lines.forEach((line, points) -> {
            List<Double> xs = new ArrayList<>(points.keySet());
            chart.addSeries(line.replace("`", ""), xs, new ArrayList<>(points.values()));
        });
        String file = folder.resolve(name).toString();
        VectorGraphicsEncoder.saveVectorGraphic(chart, file, VectorGraphicsFormat.SVG);
        BitmapEncoder.saveBitmap(chart, file, BitmapFormat.PNG);
    }
}
