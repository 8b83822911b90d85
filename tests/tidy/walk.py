#!/usr/bin/env python3
"""walk: counts the files and functions that one small search enters.

walk.py SOURCE COMPILER FILES-MAX FUNCTIONS-MAX

The script builds the command and the library, without kernels and with the portable code alone, since processors with
other instruction sets enter other functions. Each function reports when it is entered. Then the script
runs `trawl -c foo FILE` on three lines. A reader who follows this search opens as many files, and reads as many
functions; an inline function of several files counts once. Prints the files and functions in the order of their
first entry; the exit status is 1 if there are more than the given numbers. Normal runs leave the script out
(status 77), since it needs a separate build.
"""

import os
import shutil
import subprocess
import sys
import tempfile

TRACER = r"""
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define QUIET __attribute__((no_instrument_function))
#define SLOTS (1u << 16)

static void *seen[SLOTS], *order[SLOTS];
static unsigned count;

QUIET void __cyg_profile_func_enter(void *function, void *caller);
QUIET void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
    unsigned slot = (unsigned)((uintptr_t)function * 0x9e3779b97f4a7c15u >> 48);

    (void)caller;
    while (__atomic_load_n(&seen[slot], __ATOMIC_RELAXED) != NULL && seen[slot] != function)
        slot = (slot + 1) % SLOTS;
    if (seen[slot] == NULL && __atomic_exchange_n(&seen[slot], function, __ATOMIC_RELAXED) == NULL)
        order[__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED) % SLOTS] = function;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)function;
    (void)caller;
}

__attribute__((destructor)) QUIET static void tell(void)
{
    FILE *file = fopen(getenv("TRAWL_TRACE"), "w");

    for (unsigned i = 0; file != NULL && i < count; i++)
        fprintf(file, "%p\n", order[i]);
    if (file != NULL)
        (void)fclose(file);
}
"""


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f'{command[0]}: {(done.stdout + done.stderr)[-2000:]}')
    return done.stdout


def build(source, compiler, folder):
    """Build the command, linked at fixed addresses, so that addr2line can look the addresses up."""
    tracer, made = os.path.join(folder, 'tracer.c'), os.path.join(folder, 'tracer.o')
    with open(tracer, 'w', encoding='ascii') as file:
        file.write(TRACER)
    run([compiler, '-O2', '-c', tracer, '-o', made])
    build_folder = os.path.join(folder, 'build')
    run(['cmake', '-S', source, '-B', build_folder, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Debug',
         '-DTRAWL_NATIVE_ONLY_PORTABLE=ON', '-DTRAWL_CUDA=OFF', '-DTRAWL_HARDEN=OFF', '-DTRAWL_BENCH=OFF', '-DBUILD_TESTING=OFF', f'-DCMAKE_C_COMPILER={compiler}',
         '-DCMAKE_C_FLAGS=-O0 -g1 -w -finstrument-functions -fno-pie',
         f'-DCMAKE_EXE_LINKER_FLAGS={made} -no-pie', f'-DCMAKE_SHARED_LINKER_FLAGS={made}'])
    run(['cmake', '--build', build_folder, '-j', '1', '--target', 'trawl_command'])
    return os.path.join(build_folder, 'trawl')


def main():
    source, compiler, files_max, functions_max = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    scale = os.environ.get('TRAWL_TEST_SCALE') or '1'
    if scale != 'long' and float(scale) < 20:
        print('SKIPPED: it needs a build of its own: in long runs')
        return 77
    for program in ('cmake', 'ninja', 'addr2line'):
        if not shutil.which(program):
            print(f'SKIPPED: no {program}')
            return 77
    with tempfile.TemporaryDirectory(prefix='trawl-walk-') as folder:
        program, trace = build(source, compiler, folder), os.path.join(folder, 'trace')
        text = os.path.join(folder, 'text')
        with open(text, 'w', encoding='ascii') as file:
            file.write('foo\nbar\na foo\n')
        counted = run([program, '-c', 'foo', text], env=dict(os.environ, TRAWL_TRACE=trace, LC_ALL='C'))
        with open(trace, encoding='ascii') as file:
            addresses = file.read().split()
        told = run(['addr2line', '-f', '-e', program, *addresses]).splitlines()
    folder = os.path.abspath(source)
    places = [os.path.relpath(place, folder).split(':') for place in told[1::2]]
    files = list(dict.fromkeys(name for name, line in places))
    # An inline function has an address in several files, but the same name and line.
    functions = list(dict.fromkeys((name, line) for name, (file, line) in zip(told[0::2], places)))
    print('\n'.join(files))
    print(' '.join(name for name, line in functions))
    print(f'{len(files)} files (at most {files_max}), {len(functions)} functions (at most {functions_max})')
    return 0 if counted == '2\n' and 'main' in told and len(files) <= files_max and len(functions) <= functions_max else 1


sys.exit(main())
