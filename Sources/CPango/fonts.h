#pragma once
#include <fontconfig/fontconfig.h>
#include <fribidi.h>
#include <pango/pangofc-fontmap.h>
#include <pango/pangoft2.h>

#include "CPango.h"

struct cpango_fonts {
  PangoFontMap *map;
  PangoContext *context;
  // The font that was matched last.
  PangoFont *matched;
};

PangoFontDescription *cpango_description(const cpango_request *request);
bool cpango_file(PangoFont *font, cpango_font *file);
