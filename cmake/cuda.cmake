# libtrawl_kernels: the kernels, as fat binaries (images), in a shared object that the library loads
# when it opens the CUDA engine, so that all programs of an installation share one copy. The CUDA
# toolkit is not needed at run time: only nvcc is, at build time. This file is included before src,
# so that nvcc, which takes longest, begins first (of the things that can be made, Ninja starts the
# first).
option(TRAWL_CUDA "Build the GPU kernels if nvcc is there; OFF, without tests: no code for GPUs" ON)
set(TRAWL_CUDA_ARCHITECTURES "native" CACHE STRING
    "Architectures to hold machine code for, like \"80;90\"; \"native\": of this machine's GPUs (90 without a GPU), or \"all\": 7.5, 8.0, 9.0, 10.0 and 12.0, whose code later minor versions run, too. Others run the PTX for 7.5, which is always there, after the driver has translated it; but kernels that launch kernels (the gallery's -swift) are machine code alone.")

option(TRAWL_CUDA_QUICK
    "To see that the kernels compile: images that cannot run, without the PTX and the gallery" OFF)

set(TRAWL_KERNELS_KEY "")
set(TRAWL_KERNELS_LIBRARY libtrawl_kernels.so.${PROJECT_VERSION_MAJOR})
set(TRAWL_NVCC "TRAWL_NVCC-NOTFOUND")
if(TRAWL_CUDA)
    find_program(TRAWL_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
endif()
if(NOT TRAWL_NVCC)
    message(STATUS "GPU kernels: none, nvcc was not found or not asked for; the rest is built")
else()
    execute_process(COMMAND ${TRAWL_NVCC} --list-gpu-code OUTPUT_VARIABLE listed
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX MATCHALL "sm_[0-9]+" known "${listed}")
    string(REPLACE "sm_" "" known "${known}")
    list(FILTER known EXCLUDE REGEX "^([1-6].|7[0-4])$")
    set(codes ${TRAWL_CUDA_ARCHITECTURES})
    if(codes STREQUAL "all")
        set(codes "")
        foreach(code IN ITEMS 75 80 90 100 120)
            if(code IN_LIST known)
                list(APPEND codes ${code})
            endif()
        endforeach()
    elseif(codes STREQUAL "native")
        find_program(TRAWL_NVIDIA_SMI nvidia-smi)
        set(listed "")
        if(TRAWL_NVIDIA_SMI)
            execute_process(COMMAND ${TRAWL_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                            OUTPUT_VARIABLE listed ERROR_QUIET)
        endif()
        string(REGEX MATCHALL "[0-9]+\\.[0-9]+" listed "${listed}")
        string(REPLACE "." "" listed "${listed}")
        set(codes "")
        foreach(code IN LISTS known)
            if(code IN_LIST listed)
                list(APPEND codes ${code})
            endif()
        endforeach()
        if(NOT codes AND 90 IN_LIST known)
            set(codes 90)
        elseif(NOT codes)
            list(GET known -1 codes)
        endif()
    endif()
    foreach(code IN LISTS codes)
        if(NOT code IN_LIST known)
            string(REPLACE ";" ", " known "${known}")
            message(FATAL_ERROR "TRAWL_CUDA_ARCHITECTURES: ${code} is none of ${known}, native or all. "
                    "The kernels need compute capability 7.5 (Turing) or later, and this nvcc's codes; "
                    "a GPU of 8.7 or 8.8 runs all but the gallery's -swift forms.")
        endif()
    endforeach()
    # The device's run-time library has no code for 8.7 and 8.8, so nvcc_linked_codes leaves them out.
    set(nvcc_codes -gencode arch=compute_75,code=compute_75)
    set(nvcc_for "7.5 (PTX), ${codes}")
    set(nvcc_fast "")
    if(TRAWL_CUDA_QUICK) # machine code for the oldest device alone
        set(nvcc_codes -DSIMT_QUICK=1)
        set(codes 75)
        set(nvcc_for "7.5, quick")
        execute_process(COMMAND ${TRAWL_NVCC} --help OUTPUT_VARIABLE nvcc_help)
        if(nvcc_help MATCHES "--Ofast-compile")
            set(nvcc_fast --Ofast-compile max)
        endif()
    endif()
    # The kernels tell apart what came before 8.0 and how many threads a multiprocessor holds (simt.h). So the code for
    # 9.0 and 10.0 can be made from the PTX for 8.0, and half of the compiler's work is done once.
    set(nvcc_linked_codes "")
    foreach(code IN LISTS codes)
        set(from ${code})
        if(code MATCHES "^(90|100|103)$" AND 80 IN_LIST codes)
            set(from 80)
        endif()
        list(APPEND nvcc_codes -gencode arch=compute_${from},code=sm_${code})
        if(NOT code MATCHES "^8[78]$")
            list(APPEND nvcc_linked_codes -gencode arch=compute_${code},code=sm_${code})
        endif()
    endforeach()
    if(NOT nvcc_linked_codes)
        set(nvcc_linked_codes -gencode arch=compute_75,code=sm_75)
    endif()
    # Line numbers, for compute-sanitizer and profilers. They double the image, so only the builds for
    # debugging have them.
    set(nvcc_lines $<$<CONFIG:Debug,RelWithDebInfo>:-lineinfo>)
    # Compressed images have a third of the bytes. But loading the scan kernels would take 1.3 ms
    # instead of 0.4 (H200), so only the gallery's images are compressed.
    set(nvcc_compress -Xfatbin -compress-all)
    # nvcc runs in the source folder, so that images name their sources without that folder. Only the
    # debugging information of code compiled with -G, which is compressed, still names the folder,
    # and the time.
    set(nvcc_command ${TRAWL_NVCC} -x cu -std=c++17 -I src -I .
        -Werror all-warnings --threads 2)
    file(GLOB kernel_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cuda/kernels/*.cu
         ${PROJECT_SOURCE_DIR}/src/cuda/kernels/*.h)
    file(GLOB gallery_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/gallery/kernels/*)
    list(APPEND kernel_files ${PROJECT_SOURCE_DIR}/src/plan/layout.h
         ${PROJECT_SOURCE_DIR}/src/want.h)
    set(images "")
    set(image_definitions "")
    # Adds the image of this name, which the library embeds as TRAWL_IMAGE_name.
    macro(trawl_image name)
        string(TOLOWER ${name} image)
        set(image ${PROJECT_BINARY_DIR}/${image}.fatbin)
        list(APPEND images ${image})
        list(APPEND image_definitions "TRAWL_IMAGE_${name}=\"${image}\"")
    endmacro()
    function(trawl_plain_image name source)
        trawl_image(${name})
        file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
        set(try_whole "")
        if(TRAWL_CUDA_QUICK) # also compiles the code as it will run, but only to PTX
            set(try_whole COMMAND ${nvcc_command} ${nvcc_fast} -arch=compute_75 -ptx
                          -o ${image}.ptx ${source})
        endif()
        add_custom_command(
            OUTPUT ${image}
            ${try_whole}
            COMMAND ${nvcc_command} ${ARGN} ${nvcc_codes} -fatbin -o ${image}
                    ${source}
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            DEPENDS ${kernel_files} ${gallery_files}
            COMMENT "GPU kernels for ${nvcc_for}: ${name}"
            VERBATIM COMMAND_EXPAND_LISTS)
        set(images ${images} PARENT_SCOPE)
        set(image_definitions ${image_definitions} PARENT_SCOPE)
    endfunction()
    # Kernels that launch kernels are linked with the device's run-time library, and so are machine
    # code alone.
    function(trawl_linked_image name source)
        trawl_image(${name})
        file(RELATIVE_PATH source ${PROJECT_SOURCE_DIR} ${source})
        add_custom_command(
            OUTPUT ${image}
            COMMAND ${nvcc_command} ${ARGN} ${nvcc_linked_codes} -dc -o ${image}.o
                    ${source}
            COMMAND ${TRAWL_NVCC} -dlink -fatbin ${nvcc_linked_codes} ${nvcc_compress} -o ${image}
                    ${image}.o -lcudadevrt
            WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
            DEPENDS ${kernel_files} ${gallery_files}
            COMMENT "GPU kernels for ${codes}, linked: ${name}"
            VERBATIM COMMAND_EXPAND_LISTS)
        set(images ${images} PARENT_SCOPE)
        set(image_definitions ${image_definitions} PARENT_SCOPE)
    endfunction()
    set(cuda ${PROJECT_SOURCE_DIR}/src/cuda)
    trawl_plain_image(SCAN ${cuda}/kernels/kernels.cu -O3 ${nvcc_lines} ${nvcc_fast})
    trawl_plain_image(SETS ${cuda}/kernels/sets.cu -O3 ${nvcc_lines} ${nvcc_fast})
    set(approximate ${PROJECT_SOURCE_DIR}/src/approximate)
    file(GLOB approximate_files CONFIGURE_DEPENDS ${approximate}/kernels/*)
    set(scan_files ${kernel_files})
    list(APPEND kernel_files ${approximate_files})
    trawl_plain_image(GRAMS ${approximate}/kernels/grams.cu -O3
                      ${nvcc_lines} ${nvcc_fast})
    set(kernel_files ${scan_files})
    if(TRAWL_GALLERY AND NOT TRAWL_CUDA_QUICK)
        set(gallery ${PROJECT_SOURCE_DIR}/gallery)
        set(kernels ${gallery}/kernels)
        trawl_plain_image(GALLERY ${kernels}/gallery.cu -O3 ${nvcc_lines}
                          ${nvcc_compress})
        trawl_linked_image(CHILDREN ${kernels}/children.cu -O3 ${nvcc_lines})
        trawl_plain_image(GALLERY_LISTS ${kernels}/lists.cu -O3 ${nvcc_lines}
                          ${nvcc_compress})
        trawl_plain_image(GALLERY_DEBUG ${kernels}/debug.cu -G
                          ${nvcc_compress})
    endif()

    # The program and the library know the same kernels: a library of other sources is not loaded.
    set(key "")
    list(APPEND kernel_files ${approximate_files})
    foreach(file IN LISTS kernel_files gallery_files)
        file(SHA256 ${file} hash)
        string(APPEND key ${hash})
    endforeach()
    string(SHA256 TRAWL_KERNELS_KEY "${key}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${kernel_files} ${gallery_files})

    # In the build tree the library lies beside the command; programs elsewhere in the tree find it by
    # their run path. Ninja, which sees one graph of files, starts nvcc first; other generators must be
    # told that the images are made before the library.
    add_custom_target(trawl_images DEPENDS ${images})
    add_library(trawl_kernels SHARED src/cuda/kernels/library.c)
    set_source_files_properties(src/cuda/kernels/library.c PROPERTIES OBJECT_DEPENDS "${images}")
    target_compile_definitions(trawl_kernels PRIVATE "TRAWL_KERNELS_KEY=\"${TRAWL_KERNELS_KEY}\""
                               ${image_definitions})
    target_include_directories(trawl_kernels PRIVATE src)
    target_link_libraries(trawl_kernels PRIVATE trawl_hardened)
    target_link_options(trawl_kernels PRIVATE -nostdlib)
    set_target_properties(trawl_kernels PROPERTIES C_VISIBILITY_PRESET hidden BUILD_RPATH ""
                          LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                          VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    list(APPEND CMAKE_BUILD_RPATH "${PROJECT_BINARY_DIR}")
    add_dependencies(trawl_kernels trawl_images)
    message(STATUS "GPU kernels for ${nvcc_for}")
endif()
if(NOT TRAWL_NVCC)
    set(TRAWL_KERNELS_LIBRARY "")
endif()
