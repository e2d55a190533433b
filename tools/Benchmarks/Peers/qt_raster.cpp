// Qt's raster engine, as QPainter on a QImage. Answers as PeerProcess.swift asks.

#include <QFile>
#include <QGlyphRun>
#include <QGuiApplication>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPainterPath>
#include <QRawFont>
#include <QTransform>
#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

// The blur of Qt's own drop shadows, which its headers do not declare.
QT_BEGIN_NAMESPACE
Q_DECL_IMPORT void qt_blurImage(QPainter *painter, QImage &image, qreal radius, bool quality, bool alphaOnly, int transposed = 0);
QT_END_NAMESPACE

static const int width = 1920, height = 1080;
static const QColor ground(0x20, 0x30, 0x40);

static double now() {
  timespec time;
  // Qt lets other threads help.
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

static QImage picture() {
  QImage image(width, height, QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::black);
  return image;
}

static QImage read(const QString &path) {
  QImage image = picture();
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.read(reinterpret_cast<char *>(image.bits()), image.sizeInBytes()) != image.sizeInBytes())
    std::exit(1);
  return image;
}

static std::vector<double> numbers(const QJsonValue &value) {
  std::vector<double> result;
  for (const auto &number : value.toArray()) result.push_back(number.toDouble());
  return result;
}

template <class Gradient> static Gradient withStops(Gradient gradient) {
  gradient.setColorAt(0, QColor::fromRgbF(0.05f, 0.1f, 0.2f));
  gradient.setColorAt(0.4, QColor::fromRgbF(0.1f, 0.6f, 1));
  gradient.setColorAt(1, QColor::fromRgbF(1, 1, 0.9f));
  return gradient;
}

int main(int count, char **arguments) {
  if (count < 2) return 1;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication application(count, arguments);
  const QString folder = QString::fromLocal8Bit(arguments[count - 1]);
  QFile file(folder + "/material.json");
  if (!file.open(QIODevice::ReadOnly)) return 1;
  const QJsonObject material = QJsonDocument::fromJson(file.readAll()).object();

  std::vector<QImage> targets, sources;
  const QImage interface = read(folder + "/interface"), noise = read(folder + "/noise");
  for (int index = 0; index < 8; index++) {
    targets.push_back(picture());
    sources.push_back(interface.copy());
  }
  QImage &target = targets[0];
  const auto star = numbers(material["star"]), corners = numbers(material["corners"]);
  QPainterPath path;
  for (size_t index = 0; index < star.size(); index += 2) {
    if (index == 0) path.moveTo(star[0], star[1]);
    else path.lineTo(star[index], star[index + 1]);
  }
  path.closeSubpath();
  const QRawFont font(material["font"].toString(), material["size"].toDouble(), QFont::PreferNoHinting);
  struct Line {
    QGlyphRun run;
    QPointF place;
  };
  std::vector<Line> lines;
  for (const auto &value : material["lines"].toArray()) {
    const QJsonObject line = value.toObject();
    QList<quint32> glyphs;
    QList<QPointF> places;
    for (double glyph : numbers(line["glyphs"])) glyphs.append(quint32(glyph));
    for (double column : numbers(line["columns"])) places.append(QPointF(column, 0));
    QGlyphRun run;
    run.setRawFont(font);
    run.setGlyphIndexes(glyphs);
    run.setPositions(places);
    lines.push_back({run, QPointF(line["x"].toDouble(), line["y"].toDouble())});
  }

  const auto onGround = [&](const std::function<void(QPainter &)> &paint) {
    QPainter painter(&target);
    painter.fillRect(0, 0, width, height, ground);
    painter.setRenderHints(QPainter::Antialiasing | QPainter::SmoothPixmapTransform);
    painter.setPen(Qt::NoPen);
    painter.setBrush(Qt::white);
    paint(painter);
  };
  const auto over = [&](QImage &target, const QImage &source, double opacity) {
    QPainter painter(&target);
    painter.setOpacity(opacity);
    painter.drawImage(0, 0, source);
  };
  const auto fill = [&](const QBrush &brush) {
    QPainter painter(&target);
    painter.fillRect(0, 0, width, height, brush);
  };
  const auto mapped = [&](const QTransform &map) {
    onGround([&](QPainter &painter) {
      painter.setTransform(map);
      painter.drawImage(0, 0, interface);
    });
  };
  QTransform turn, enlargement;
  turn.translate(width / 2.0, height / 2.0);
  turn.rotateRadians(0.35);
  turn.translate(-width / 2.0, -height / 2.0);
  enlargement.translate(-100.3, -50.7);
  enlargement.scale(1.5, 1.5);
  const QLinearGradient axial = withStops(QLinearGradient(0, 0, width, height));
  const QRadialGradient radial = withStops(QRadialGradient(width / 2.0, height / 2.0, width / 2.0));
  int turns = 0;

  const auto shadow = [&] {
    QPainter painter(&target);
    painter.fillRect(160, 110, 480, 390, ground);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    QImage mask(480, 390, QImage::Format_ARGB32_Premultiplied);
    mask.fill(0);
    {
      QPainter inside(&mask);
      inside.setRenderHint(QPainter::Antialiasing);
      inside.setPen(Qt::NoPen);
      inside.setBrush(Qt::black);
      inside.drawRoundedRect(QRectF(40, 48, 400, 300), 16, 16);
    }
    QImage blurred(mask.size(), QImage::Format_ARGB32_Premultiplied);
    blurred.fill(0);
    {
      QPainter inside(&blurred);
      qt_blurImage(&inside, mask, 25, false, true);
      inside.end();
      QPainter tint(&blurred);
      tint.setCompositionMode(QPainter::CompositionMode_SourceIn);
      tint.fillRect(blurred.rect(), QColor(0, 0, 0, 128));
    }
    painter.drawImage(160, 110, blurred);
    painter.setBrush(QColor(0xF0, 0xF0, 0xF0));
    painter.drawRoundedRect(QRectF(200, 150, 400, 300), 16, 16);
  };

  const std::map<std::string, std::function<void()>> tasks = {
      {"fill", [&] { fill(ground); }},
      {"interface", [&] { over(target, interface, 1); }},
      {"noise", [&] { over(target, noise, 1); }},
      {"half", [&] { over(target, noise, 0.5); }},
      {"cold",
       [&] {
         turns = (turns + 1) % 8;
         over(targets[turns], sources[turns], 1);
       }},
      {"rotated", [&] { mapped(turn); }},
      {"scaled", [&] { mapped(enlargement); }},
      {"axial", [&] { fill(axial); }},
      {"radial", [&] { fill(radial); }},
      {"rects",
       [&] {
         onGround([&](QPainter &painter) {
           for (size_t index = 0; index < corners.size(); index += 2)
             painter.drawRoundedRect(QRectF(corners[index], corners[index + 1], 120, 80), 14, 14);
         });
       }},
      {"path", [&] { onGround([&](QPainter &painter) { painter.drawPath(path); }); }},
      {"stroke",
       [&] {
         onGround([&](QPainter &painter) {
           painter.strokePath(path, QPen(Qt::white, 2, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin));
         });
       }},
      {"glyphs",
       [&] {
         QPainter painter(&target);
         painter.fillRect(0, 0, 800, 800, ground);
         painter.setPen(Qt::white);
         for (const auto &line : lines) painter.drawGlyphRun(line.place, line.run);
       }},
      {"shadow", shadow},
  };

  std::cout << "Qt " << qVersion() << std::endl;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream words(text);
    std::string verb, name;
    int calls = 1;
    words >> verb >> name >> calls;
    const auto task = tasks.find(name);
    if (task == tasks.end()) {
      std::cout << "none" << std::endl;
    } else if (verb == "time") {
      task->second();
      const double start = now();
      for (int call = 0; call < calls; call++) task->second();
      std::cout << (now() - start) / calls << std::endl;
    } else {
      target.fill(Qt::black);
      task->second();
      QFile output(folder + "/qt.pixels");
      if (!output.open(QIODevice::WriteOnly) || output.write(reinterpret_cast<const char *>(target.constBits()), target.sizeInBytes()) < 0)
        return 1;
      std::cout << "qt.pixels" << std::endl;
    }
  }
}
