"""plots: draws the documents' figures with matplotlib. Without matplotlib the figures stay unchanged."""
import re

from report import median

try:
    import matplotlib
    matplotlib.use('svg')
    from matplotlib import pyplot
    matplotlib.rcParams.update({'svg.fonttype': 'none', 'svg.hashsalt': 'trawl', 'font.size': 8})
except ImportError:
    pyplot = None

WHAT = 'no plots: python3 has no matplotlib (pip install matplotlib)'


def write(figure, path):
    """Write an SVG file, with few lines and without anything that changes from run to run."""
    figure.savefig(path, format='svg', metadata={'Date': None})
    pyplot.close(figure)
    with open(path, encoding='utf-8') as file:
        text = file.read()
    with open(path, 'w', encoding='utf-8') as file:
        file.write(re.sub(r'\s*\n\s*', ' ', re.sub(r'<metadata>.*?</metadata>', '', text, flags=re.S))
                   .replace('> <', '>\n<', 3) + '\n')


def bars(groups, series, title, path):
    """Draw bars. groups: (label, values), with a value for each series."""
    figure, axes = pyplot.subplots(figsize=(7.5, 0.42 * len(groups) + 1), constrained_layout=True)
    high = 0.8 / len(series)
    for i, name in enumerate(series):
        drawn = axes.barh([at + i * high for at in range(len(groups))],
                          [values[i] or 0 for _, values in groups], high, label=name)
        axes.bar_label(drawn, fmt='%.1f', fontsize=6)
    axes.set_yticks([at + 0.4 - high / 2 for at in range(len(groups))], [label for label, _ in groups])
    axes.invert_yaxis()
    axes.set_title(title)
    axes.legend()
    write(figure, path)


def lines(panels, x_label, y_label, path):
    """Draw lines on logarithmic axes. panels: (title, {name: [(x, y)]})."""
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(4.2 * len(panels), 3.4), squeeze=False,
                                       constrained_layout=True)
    for axes, (title, series) in zip(all_axes[0], panels):
        for name, points in series.items():
            axes.plot(*zip(*points), marker='.', label=name)
        axes.set(title=title, xlabel=x_label, ylabel=y_label, xscale='log', yscale='log')
        axes.legend(fontsize=6)
    write(figure, path)


def commands(data, groups, path):
    machine = data['machine']
    bars(groups, ('trawl', 'ripgrep', 'GNU grep'),
         f"Whole commands on {machine['text_bytes'] / 2**30:g} GiB, GB/s: longer is better\n"
         f"{machine['processor']}, {machine['cores']} cores; {machine['date']}, commit "
         f"{machine['commit']}", path)


def cpu(data, path):
    """Draw speed by pattern length, a panel for each alphabet, into the file `path`."""
    panels = []
    for alphabet in ('az', 'english', 'dna', 'periodic'):
        series = {}
        for row in data['rows']:
            if row['alphabet'] != alphabet or row['kind'] != 'present':
                continue
            for it in row['results']:
                if it['seconds']:
                    series.setdefault(it['name'], []).append(
                        (row['pattern_bytes'], row['text_bytes'] / median(it) / 1e9))
        if series:
            panels.append((alphabet, series))
    lines(panels, 'bytes of pattern', 'GB/s', path)
