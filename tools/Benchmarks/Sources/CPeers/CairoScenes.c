#include "Scenes.h"

#include <cairo-ft.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGULAR, MEDIUM, BOLD, FACES };

struct peer_scenes {
  FT_Library library;
  FT_Face faces[FACES];
  cairo_font_face_t *fonts[FACES];
  cairo_surface_t *surface;
  cairo_t *context;
};

static const double width = 1920, height = 1080;
static const uint32_t night = 0x0B1016, panel = 0x202B39, line = 0x3A4859, dim = 0x98A6B8, bright = 0xEEF3F9, sky = 0x4CC2FF,
                      teal = 0x3DD6B0, amber = 0xFFB84D, rose = 0xFF6B81, violet = 0xA58BFF;
static const double warning_limit = 0.8, alarm_limit = 0.9;

struct peer_scenes *peer_scenes_make(uint32_t *pixels, const char *regular, const char *medium, const char *bold) {
  struct peer_scenes *scenes = calloc(1, sizeof *scenes);
  if (!scenes) return NULL;
  const char *paths[FACES] = {regular, medium, bold};
  int failed = FT_Init_FreeType(&scenes->library);
  for (int face = 0; face < FACES && !failed; face++) {
    failed = FT_New_Face(scenes->library, paths[face], 0, &scenes->faces[face]);
    if (!failed) scenes->fonts[face] = cairo_ft_font_face_create_for_ft_face(scenes->faces[face], FT_LOAD_NO_HINTING);
  }
  if (failed) {
    peer_scenes_free(scenes);
    return NULL;
  }
  scenes->surface =
      cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_ARGB32, (int)width, (int)height, (int)width * 4);
  scenes->context = cairo_create(scenes->surface);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(scenes->context, options);
  cairo_font_options_destroy(options);
  return scenes;
}

void peer_scenes_free(struct peer_scenes *scenes) {
  if (scenes->context) cairo_destroy(scenes->context);
  if (scenes->surface) cairo_surface_destroy(scenes->surface);
  for (int face = 0; face < FACES; face++) {
    if (scenes->fonts[face]) cairo_font_face_destroy(scenes->fonts[face]);
    if (scenes->faces[face]) FT_Done_Face(scenes->faces[face]);
  }
  if (scenes->library) FT_Done_FreeType(scenes->library);
  free(scenes);
}

static void set_color(cairo_t *context, uint32_t color, double alpha) {
  cairo_set_source_rgba(context, (color >> 16 & 255) / 255.0, (color >> 8 & 255) / 255.0, (color & 255) / 255.0, alpha);
}

static void fill_rect(cairo_t *context, double x, double y, double wide, double high, uint32_t color) {
  set_color(context, color, 1);
  cairo_rectangle(context, x, y, wide, high);
  cairo_fill(context);
}

static void add_rounded(cairo_t *context, double x, double y, double wide, double high, double radius) {
  cairo_new_sub_path(context);
  cairo_arc(context, x + wide - radius, y + radius, radius, -M_PI / 2, 0);
  cairo_arc(context, x + wide - radius, y + high - radius, radius, 0, M_PI / 2);
  cairo_arc(context, x + radius, y + high - radius, radius, M_PI / 2, M_PI);
  cairo_arc(context, x + radius, y + radius, radius, M_PI, 1.5 * M_PI);
  cairo_close_path(context);
}

static void fill_rounded(cairo_t *context, double x, double y, double wide, double high, double radius, uint32_t color) {
  set_color(context, color, 1);
  add_rounded(context, x, y, wide, high, radius);
  cairo_fill(context);
}

/// The part of a text that stands at its place.
enum side { LEFT, CENTER, RIGHT };

/// The height of a line of Roboto, and the part of it above the baseline.
static const double line_height = 1.171875, line_ascent = 0.927734;

/// Draws a text whose line begins at `y`, and returns its width.
static double draw_text(struct peer_scenes *scenes, int face, double size, const char *text, double x, double y, enum side side,
                        uint32_t color) {
  cairo_t *context = scenes->context;
  cairo_set_font_face(context, scenes->fonts[face]);
  cairo_set_font_size(context, size);
  cairo_text_extents_t extents;
  cairo_text_extents(context, text, &extents);
  set_color(context, color, 1);
  cairo_move_to(context, x - (side == LEFT ? 0 : side == CENTER ? extents.x_advance / 2 : extents.x_advance), y + size * line_ascent);
  cairo_show_text(context, text);
  return extents.x_advance;
}

static uint32_t state_color(double value) { return value >= alarm_limit ? rose : value >= warning_limit ? amber : sky; }
static uint32_t text_color(double value) { return value >= warning_limit ? state_color(value) : bright; }

struct measure {
  const char *name, *unit;
  double limit;
  int digits;
};

static void draw_arc(cairo_t *context, double x, double y, double radius, double from, double to, double thick, uint32_t color,
                     cairo_line_cap_t cap) {
  const double start = 0.75 * M_PI, sweep = 1.5 * M_PI;
  cairo_new_path(context);
  cairo_arc(context, x, y, radius, start + sweep * from, start + sweep * to);
  cairo_set_line_width(context, thick);
  cairo_set_line_cap(context, cap);
  set_color(context, color, 1);
  cairo_stroke(context);
}

static void draw_gauge(struct peer_scenes *scenes, const struct measure *measure, double x, double value) {
  cairo_t *context = scenes->context;
  const double y = 86, wide = 276.92, high = 425.04, title = 14 + 28 * line_height;
  fill_rounded(context, x, y, wide, high, 12, panel);
  draw_text(scenes, REGULAR, 28, measure->name, x + 20, y + 14, LEFT, dim);
  double radius = fmin(wide * 0.38, (high - title - 24) / 2.36);
  double middle_x = x + wide / 2, middle_y = y + (title + high) / 2 - 0.1 * radius;
  draw_arc(context, middle_x, middle_y, radius, 0, 1, radius * 0.15, line, CAIRO_LINE_CAP_ROUND);
  draw_arc(context, middle_x, middle_y, radius * 1.14, warning_limit, alarm_limit, radius * 0.045, amber, CAIRO_LINE_CAP_BUTT);
  draw_arc(context, middle_x, middle_y, radius * 1.14, alarm_limit, 1, radius * 0.045, rose, CAIRO_LINE_CAP_BUTT);
  draw_arc(context, middle_x, middle_y, radius, 0, value, radius * 0.15, state_color(value), CAIRO_LINE_CAP_ROUND);
  cairo_save(context);
  cairo_translate(context, middle_x, middle_y);
  cairo_rotate(context, 0.75 * M_PI + 1.5 * M_PI * value);
  fill_rounded(context, 0, -3, radius * 0.78, 6, 3, bright);
  cairo_restore(context);
  fill_rounded(context, middle_x - 10, middle_y - 10, 20, 20, 10, bright);
  char text[32];
  snprintf(text, sizeof text, "%.*f", measure->digits, value * measure->limit);
  double top = middle_y + radius * 0.42;
  draw_text(scenes, MEDIUM, 52, text, middle_x, top, CENTER, text_color(value));
  draw_text(scenes, REGULAR, 26, measure->unit, middle_x, top + (52 - 0.1 * 26) * line_height, CENTER, dim);
}

static void draw_card(struct peer_scenes *scenes, const struct measure *measure, int index, double value) {
  cairo_t *context = scenes->context;
  const double x = 28 + index % 7 * 1880 / 7.0, y = 527.04 + index / 7 * 180.32, wide = 1880 / 7.0 - 16, high = 164.32;
  const double track = wide - 32, bar = high - 24;
  fill_rounded(context, x, y, wide, high, 10, panel);
  char text[32];
  snprintf(text, sizeof text, "%s %d", measure->name, index / 7 + 1);
  draw_text(scenes, REGULAR, 26, text, x + 16, y + 10, LEFT, dim);
  double top = (10 + 26 * line_height + bar - 50 * line_height) / 2;
  double unit = draw_text(scenes, REGULAR, 24, measure->unit, x + wide - 16, y + top + 0.79 * (50 - 24) * line_height, RIGHT, dim);
  snprintf(text, sizeof text, "%.*f", measure->digits, value * measure->limit);
  draw_text(scenes, MEDIUM, 50, text, x + 16 + track - unit - 8, y + top, RIGHT, text_color(value));
  fill_rounded(context, x + 16, y + bar, track, 8, 4, line);
  fill_rounded(context, x + 16, y + bar, fmax(track * value, 8), 8, 4, state_color(value));
  fill_rect(context, x + 16 + track * warning_limit, y + bar - 4, 2, 16, dim);
}

static double degrees(int curve, double time) {
  const double means[] = {71, 48, 18};
  double shifted = time + curve * 40;
  return means[curve] + 6 * sin(shifted * 0.21) + 3 * sin(shifted * 0.53 + 1) + sin(shifted * 1.3);
}

static void draw_history(struct peer_scenes *scenes, double time) {
  cairo_t *context = scenes->context;
  const double x = 1199.68, y = 86, wide = 692.32, high = 425.04;
  const char *names[] = {"supply", "return", "outside"};
  const uint32_t colors[] = {teal, violet, dim};
  fill_rounded(context, x, y, wide, high, 12, panel);
  draw_text(scenes, REGULAR, 28, "Temperature", x + 20, y + 14, LEFT, dim);
  double right = x + wide - 20, legend = y + 14 + 2 * line_height;
  for (int index = 2; index >= 0; index--) {
    right -= draw_text(scenes, REGULAR, 24, names[index], right, legend, RIGHT, colors[index]) + 24;
  }
  double label = 24 * line_height, top = y + 14 + 28 * line_height + 28, bottom = y + high - 20 - label;
  double left = x + 34 + draw_text(scenes, REGULAR, 24, "90 °C", x + 20, top - label / 2, LEFT, dim);
  double reach = x + wide - 28 - left;
  const char *values[] = {"0", "30", "60"};
  for (int index = 0; index < 3; index++) {
    draw_text(scenes, REGULAR, 24, values[index], left - 14, bottom - (bottom - top) * index / 3 - label / 2, RIGHT, dim);
  }
  draw_text(scenes, REGULAR, 24, "1 min ago", left, bottom + 6, LEFT, dim);
  draw_text(scenes, REGULAR, 24, "30 s", left + reach / 2, bottom + 6, CENTER, dim);
  draw_text(scenes, REGULAR, 24, "now", left + reach, bottom + 6, RIGHT, dim);
  for (int index = 0; index < 4; index++) fill_rect(context, left, top + round((bottom - top - 1) * index / 3), reach, 1, line);
  cairo_set_line_width(context, 3);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(context, CAIRO_LINE_CAP_BUTT);
  double newest = floor(time * 10) / 10;
  for (int curve = 0; curve < 3; curve++) {
    for (int point = 0; point <= 120; point++) {
      double value = degrees(curve, newest - 60 * (120 - point) / 120.0);
      cairo_line_to(context, left + reach * point / 120, top + (bottom - top) * (1 - value / 90));
    }
    set_color(context, colors[curve], 1);
    cairo_stroke(context);
  }
}

void peer_scenes_dashboard(struct peer_scenes *scenes, double time) {
  static const struct measure dials[] = {{"Load", "%", 100, 0}, {"Pressure", "bar", 10, 1}, {"Flow", "l/min", 240, 0}, {"Boiler", "°C", 120, 0}};
  static const struct measure cards[] = {{"Pump", "rpm", 3000, 0}, {"Tank", "%", 100, 0},    {"Motor", "°C", 110, 1}, {"Valve", "bar", 10, 2},
                                         {"Drive", "A", 40, 1},    {"Bearing", "mm/s", 9, 2}, {"Duct", "m³/h", 800, 0}};
  int alarms = 0, warnings = 0;
  set_color(scenes->context, night, 1);
  cairo_paint(scenes->context);
  draw_text(scenes, BOLD, 40, "Plant 7", 28, 14 + (72 - 40 * line_height) / 2, LEFT, bright);
  for (int index = 0; index < 25; index++) {
    double value;
    if (index < 4) {
      value = 0.55 + 0.3 * sin(time * (0.5 + 0.13 * index) + index * 1.7);
      draw_gauge(scenes, &dials[index], 28 + index * 292.92, value);
    } else {
      int card = index - 4;
      double phase = card * 37 % 100;
      value = 0.5 + (0.12 + card * 7 % 11 / 40.0) * sin(time * (0.15 + card * 13 % 17 / 40.0) + phase) + 0.06 * sin(time * 1.9 + phase);
      draw_card(scenes, &cards[card % 7], card, value);
    }
    if (value >= alarm_limit) alarms++;
    else if (value >= warning_limit) warnings++;
  }
  draw_history(scenes, time);
  char text[64] = "all values normal", alarm[32] = "", warning[32] = "";
  if (alarms > 0) snprintf(alarm, sizeof alarm, "%d alarm%s", alarms, alarms == 1 ? "" : "s");
  if (warnings > 0) snprintf(warning, sizeof warning, "%d warning%s", warnings, warnings == 1 ? "" : "s");
  if (alarms + warnings > 0) snprintf(text, sizeof text, "%s%s%s", alarm, alarms > 0 && warnings > 0 ? "  ·  " : "", warning);
  draw_text(scenes, MEDIUM, 28, text, 1892, 14 + (72 - 28 * line_height) / 2, RIGHT, alarms > 0 ? rose : warnings > 0 ? amber : sky);
}

struct place {
  double x, y;
};

/// Sunflower seeds on a disc that turns, with waves running outwards.
static struct place seed(int index, double time, double bottom) {
  double share = sqrt((index + 0.5) / 2000);
  double angle = index * M_PI * (3 - sqrt(5)) + time * (0.9 - 0.6 * share);
  double radius = share * (1 + 0.1 * sin(time * 1.3 - share * 9) + 0.06 * sin(3 * angle + time));
  return (struct place){width / 2 + width * 0.44 * radius * cos(angle), bottom / 2 + bottom * 0.44 * radius * sin(angle)};
}

void peer_scenes_swarm(struct peer_scenes *scenes, double time) {
  const uint32_t accents[] = {sky, teal, amber, rose, violet};
  cairo_t *context = scenes->context;
  set_color(context, night, 1);
  cairo_paint(context);
  double caption = height - 48 - 28 * line_height;
  draw_text(scenes, REGULAR, 28, "swarm · 2,000 moving layers", 48, caption, LEFT, dim);
  for (int index = 0; index < 2000; index++) {
    struct place here = seed(index, time, caption - 24), ahead = seed(index, time + 0.01, caption - 24);
    cairo_save(context);
    cairo_translate(context, here.x, here.y);
    cairo_rotate(context, atan2(ahead.y - here.y, ahead.x - here.x));
    set_color(context, accents[index % 5], 0.85);
    add_rounded(context, -13, -4.5, 26, 9, 4.5);
    cairo_fill(context);
    cairo_restore(context);
  }
}
