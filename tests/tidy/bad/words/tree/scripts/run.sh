#!/bin/sh
# XXX the end
