// Plays a scene in QML with Qt Quick's software renderer, frame by frame as fast as it can. Answers lines of its standard input:
// `play FRAMES` with the nanoseconds that a frame takes and those of processor time of all threads, `picture SECONDS FILE` with the
// name of the PNG file.

#include <QGuiApplication>
#include <QImage>
#include <QQmlComponent>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickRenderControl>
#include <QQuickRenderTarget>
#include <QQuickWindow>
#include <ctime>
#include <iostream>
#include <sstream>

static double now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int count, char **arguments) {
  if (count < 3) return 1;
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QQuickWindow::setGraphicsApi(QSGRendererInterface::Software);
  QGuiApplication application(count, arguments);
  QQmlEngine engine;
  QQmlComponent component(&engine, QUrl::fromLocalFile(QString::fromLocal8Bit(arguments[1])));
  if (!component.isReady()) {
    std::cerr << component.errorString().toStdString();
    return 1;
  }
  QObject *object = component.createWithInitialProperties({{"fonts", QUrl::fromLocalFile(QString::fromLocal8Bit(arguments[2]))}});
  auto *root = qobject_cast<QQuickItem *>(object);
  if (!root) return 1;
  QImage image(int(root->width()), int(root->height()), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::black);
  QQuickRenderControl control;
  QQuickWindow window(&control);
  window.setGeometry(0, 0, image.width(), image.height());
  window.contentItem()->setSize(image.size());
  window.setRenderTarget(QQuickRenderTarget::fromPaintDevice(&image));
  root->setParentItem(window.contentItem());

  const auto show = [&](double seconds) {
    root->setProperty("time", seconds);
    application.processEvents();
    control.polishItems();
    control.beginFrame();
    control.sync();
    control.render();
    control.endFrame();
  };
  int frame = 0;
  show(0);
  std::cout << "Qt Quick " << qVersion() << std::endl;
  for (std::string text; std::getline(std::cin, text);) {
    std::istringstream words(text);
    std::string verb;
    words >> verb;
    if (verb == "play") {
      int frames = 1;
      words >> frames;
      const double start = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
      for (int index = 0; index < frames; index++) show(++frame / 60.0);
      std::cout << (now(CLOCK_MONOTONIC) - start) / frames << " " << (now(CLOCK_PROCESS_CPUTIME_ID) - used) / frames << std::endl;
    } else {
      double seconds = 0;
      std::string file;
      words >> seconds >> file;
      show(seconds);
      std::cout << (image.save(QString::fromStdString(file)) ? file : "none") << std::endl;
    }
  }
}
