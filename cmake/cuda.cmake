# The CUDA engine: its sources, and its kernels as one fat binary embedded in the library. Nothing
# of the CUDA toolkit is linked or needed at run time; only nvcc, at build time, for the kernels.
# Included by src/CMakeLists.txt before the library is made; adds to TRAWL_SOURCES.
option(TRAWL_CUDA "Build the GPU kernels if nvcc is there" ON)
set(TRAWL_CUDA_ARCHITECTURES "90" CACHE STRING
    "Architectures to hold machine code for, like \"80;90\", or \"all\" that nvcc knows. Others run the PTX for 7.5, which is always there, after the driver has translated it.")

file(GLOB TRAWL_CUDA_SOURCES CONFIGURE_DEPENDS cuda/*.c)
list(APPEND TRAWL_SOURCES ${TRAWL_CUDA_SOURCES})

set(TRAWL_NVCC "TRAWL_NVCC-NOTFOUND")
if(TRAWL_CUDA)
    find_program(TRAWL_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
endif()
if(NOT TRAWL_NVCC)
    message(STATUS "GPU kernels: none, nvcc was not found or not asked for; the rest is built")
else()
    set(codes ${TRAWL_CUDA_ARCHITECTURES})
    if(codes STREQUAL "all")
        execute_process(COMMAND ${TRAWL_NVCC} --list-gpu-code OUTPUT_VARIABLE listed
                        OUTPUT_STRIP_TRAILING_WHITESPACE)
        string(REGEX MATCHALL "sm_[0-9]+" codes "${listed}")
        string(REPLACE "sm_" "" codes "${codes}")
    endif()
    # The device's run-time library, which the gallery links, has no code for 8.7 and 8.8.
    set(nvcc_codes -gencode arch=compute_75,code=compute_75)
    set(nvcc_gallery_codes "")
    foreach(code IN LISTS codes)
        if(code GREATER_EQUAL 75)
            list(APPEND nvcc_codes -gencode arch=compute_${code},code=sm_${code})
        endif()
        if(code GREATER_EQUAL 75 AND NOT code MATCHES "^8[78]$")
            list(APPEND nvcc_gallery_codes -gencode arch=compute_${code},code=sm_${code})
        endif()
    endforeach()
    if(NOT nvcc_gallery_codes)
        set(nvcc_gallery_codes -gencode arch=compute_75,code=sm_75)
    endif()
    # Lines for compute-sanitizer and profilers, where they are wanted: they double the image.
    set(nvcc_lines $<$<CONFIG:Debug,RelWithDebInfo>:-lineinfo>)
    file(GLOB kernel_files CONFIGURE_DEPENDS cuda/kernels/*.cu cuda/kernels/*.h)
    set(TRAWL_CUDA_IMAGE ${CMAKE_CURRENT_BINARY_DIR}/kernels.fatbin)
    add_custom_command(
        OUTPUT ${TRAWL_CUDA_IMAGE}
        COMMAND ${TRAWL_NVCC} -x cu -std=c++17 -O3 ${nvcc_lines} -I ${CMAKE_CURRENT_SOURCE_DIR}
                ${nvcc_codes} -Werror all-warnings --threads 2 -fatbin -o ${TRAWL_CUDA_IMAGE}
                ${CMAKE_CURRENT_SOURCE_DIR}/cuda/kernels/kernels.cu
        DEPENDS ${kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/plan/layout.h
        COMMENT "GPU kernels for 7.5 (PTX), ${codes}" VERBATIM COMMAND_EXPAND_LISTS)
    # The gallery, as released and for debugging. Its kernels launch kernels, which is why they are
    # linked with the device's run-time library, and so hold machine code alone.
    file(GLOB gallery_files CONFIGURE_DEPENDS cuda/kernels/gallery/*)
    set(TRAWL_CUDA_GALLERY ${CMAKE_CURRENT_BINARY_DIR}/gallery.fatbin)
    set(TRAWL_CUDA_GALLERY_DEBUG ${CMAKE_CURRENT_BINARY_DIR}/gallery-debug.fatbin)
    function(trawl_gallery_image image)
        add_custom_command(
            OUTPUT ${image}
            COMMAND ${TRAWL_NVCC} -x cu -std=c++17 ${ARGN} -I ${CMAKE_CURRENT_SOURCE_DIR}
                    ${nvcc_gallery_codes} -Werror all-warnings --threads 2 -dc -o ${image}.o
                    ${CMAKE_CURRENT_SOURCE_DIR}/cuda/kernels/gallery/gallery.cu
            COMMAND ${TRAWL_NVCC} -dlink -fatbin ${nvcc_gallery_codes} -Xfatbin -compress-all
                    -o ${image} ${image}.o -lcudadevrt
            DEPENDS ${gallery_files} ${kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/plan/layout.h
            COMMENT "GPU kernels of the gallery for ${codes}: ${image}"
            VERBATIM COMMAND_EXPAND_LISTS)
    endfunction()
    trawl_gallery_image(${TRAWL_CUDA_GALLERY} -O3 ${nvcc_lines})
    trawl_gallery_image(${TRAWL_CUDA_GALLERY_DEBUG} -G)

    # Once for all libraries that embed them, so that parallel builds do not write them twice.
    set(images ${TRAWL_CUDA_IMAGE} ${TRAWL_CUDA_GALLERY} ${TRAWL_CUDA_GALLERY_DEBUG})
    add_custom_target(trawl_kernels DEPENDS ${images})
    set_property(SOURCE cuda/image.c PROPERTY COMPILE_DEFINITIONS
        "TRAWL_CUDA_IMAGE=\"${TRAWL_CUDA_IMAGE}\""
        "TRAWL_CUDA_GALLERY=\"${TRAWL_CUDA_GALLERY}\""
        "TRAWL_CUDA_GALLERY_DEBUG=\"${TRAWL_CUDA_GALLERY_DEBUG}\"")
    set_property(SOURCE cuda/image.c PROPERTY OBJECT_DEPENDS ${images})
    message(STATUS "GPU kernels: machine code for ${codes}, PTX for 7.5 and up")
endif()
