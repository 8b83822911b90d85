/* engine_auto: both engines behind one table. */
#ifndef TRAWL_ENGINE_AUTO_H
#define TRAWL_ENGINE_AUTO_H

#include "engine.h"

/* open never fails for want of a GPU. */
extern const struct engine_ops engine_auto;

#endif
