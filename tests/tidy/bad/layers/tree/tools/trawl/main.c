/* main: an outsider that looks inside. */
#include <trawl.h>
#include "plan/plan.h"
#include "serve/http.h"
