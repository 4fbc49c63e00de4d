# Writes OUTPUT, a C++ source with the texts of the files INPUTS. KIND names the function that returns the texts.
#
#   cmake -DKIND=migrations -DINPUTS=a.sql;b.sql -DOUTPUT=x.cpp -P embed.cmake
#
# KIND migrations: db::migrations(), numbered by their names ("0001_initial.sql").
# KIND templates:  templates::template_file(), by the files' names.
# KIND site_files: setup::packaged_file(), by the files' names.
# KIND plugin_files: setup::plugin_files(), by the files' paths in the folder of plugins. The files may be binary.
# KIND compact:    no source. OUTPUT is a folder with the files. Parts that the widgets' script does not need are removed.
# KIND openapi:    openapi::documents(), in the order of INPUTS.
# KIND grants:     store::grants_text(), of one file.
# KIND wordpress_grants: wordpress::cms_grants_text(), of one file.
if(KIND STREQUAL "migrations")
  set(rows "")
  foreach(input IN LISTS INPUTS)
    file(READ ${input} text)
    get_filename_component(name ${input} NAME_WE)
    string(REGEX MATCH "^0*([1-9][0-9]*)_" ignored ${name})
    string(APPEND rows "    {${CMAKE_MATCH_1}, \"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"db/migrations.h\"

namespace db {
namespace {
constexpr Migration kMigrations[] = {
${rows}};
}  // namespace

std::span<const Migration> migrations() { return kMigrations; }
}  // namespace db
")
elseif(KIND STREQUAL "templates" OR KIND STREQUAL "site_files")
  set(home_templates templates)
  set(header_templates builtin_templates)
  set(function_templates template_file)
  set(home_site_files setup)
  set(header_site_files site)
  set(function_site_files packaged_file)
  set(home ${home_${KIND}})
  set(lines "")
  foreach(input IN LISTS INPUTS)
    file(READ ${input} text)
    get_filename_component(name ${input} NAME)
    string(APPEND lines "  if (name == \"${name}\") return R\"embedded(${text})embedded\";\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"${home}/${header_${KIND}}.h\"

namespace ${home} {
std::string_view ${function_${KIND}}(std::string_view name) {
${lines}  return {};
}
}  // namespace ${home}
")
elseif(KIND STREQUAL "openapi")
  set(texts "")
  foreach(input IN LISTS INPUTS)
    file(READ ${input} text)
    string(APPEND texts "    R\"embedded(${text})embedded\",\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"openapi/documents.h\"

// Longer than the 64 KiB that every compiler must take; those that build this take more.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace openapi {
namespace {
constexpr std::string_view kDocuments[] = {
${texts}};
}  // namespace

std::span<const std::string_view> documents() { return kDocuments; }
}  // namespace openapi
")
elseif(KIND STREQUAL "compact")
  foreach(input IN LISTS INPUTS)
    file(READ ${input} text)
    string(REGEX REPLACE "/\\*[^*]*\\*+([^/*][^*]*\\*+)*/" "" text "${text}")
    string(REGEX REPLACE "[ \n]+" " " text "${text}")
    if(input MATCHES "css$")
      string(REGEX REPLACE " ?([{},>~]) ?" "\\1" text "${text}")
      string(REGEX REPLACE "([:;]) " "\\1" text "${text}")
      string(REPLACE ";}" "}" text "${text}")
      string(REGEX REPLACE "=\"([a-z]+)\"" "=\\1" text "${text}")
      string(REGEX REPLACE "(@(media|supports)| \\*) " "\\1" text "${text}")
      string(REGEX REPLACE "([ :,(])0\\." "\\1." text "${text}")
    else()
      # Leave out these attributes and the numbers, because the script writes them.
      string(REGEX REPLACE " data-(object-id|object-type|category|template|size|color-scheme)=\"[^\"]*\"" "" text "${text}")
      string(REGEX REPLACE "{{[A-KM-Z][A-Z0-9_]*}}" "" text "${text}")
      # Keep the quotes before "/>", because an unquoted value would include the "/".
      string(REGEX REPLACE "=\"([a-z0-9.-]+)\"([ >])" "=\\1\\2" text "${text}")
    endif()
    string(STRIP "${text}" text)
    get_filename_component(name ${input} NAME)
    file(WRITE ${OUTPUT}/${name} "${text}")
  endforeach()
elseif(KIND STREQUAL "plugin_files")
  set(rows "")
  foreach(input IN LISTS INPUTS)
    file(READ ${input} hex HEX)
    string(LENGTH "${hex}" digits)
    math(EXPR size "${digits} / 2")
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    string(REGEX REPLACE ".*/(web/wordpress|plugin)/" "" name ${input})
    string(APPEND rows "    {\"${name}\", {\"${bytes}\", ${size}}},\n")
  endforeach()
  file(WRITE ${OUTPUT} "#include \"setup/plugin.h\"

#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace setup {
namespace {
constexpr PluginFile kFiles[] = {
${rows}};
}  // namespace

std::span<const PluginFile> plugin_files() { return kFiles; }
}  // namespace setup
")
else()
  set(home_grants store)
  set(header_grants grants)
  set(home_wordpress_grants wordpress)
  set(header_wordpress_grants wordpress)
  set(function_grants grants_text)
  set(function_wordpress_grants cms_grants_text)
  set(home ${home_${KIND}})
  set(header ${header_${KIND}})
  file(READ ${INPUTS} text)
  file(WRITE ${OUTPUT} "#include \"${home}/${header}.h\"

// Longer than the 64 KiB that every compiler must take; those that build this take more.
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace ${home} {
std::string_view ${function_${KIND}}() { return R\"embedded(${text})embedded\"; }
}  // namespace ${home}
")
endif()
