/* lonely: nobody wants it. */
#ifndef TRAWL_BASE_LONELY_H
#define TRAWL_BASE_LONELY_H
#endif
