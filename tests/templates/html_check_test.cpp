#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "templates/template_check.h"

namespace {

using model::Category;

constexpr const char* kRoot =
    "data-object-id=\"{{OBJECT_ID}}\" data-object-type=\"{{OBJECT_TYPE}}\" "
    "data-category=\"{{CATEGORY}}\" data-template=\"{{TEMPLATE}}\" "
    "data-user-rating=\"{{USER_RATING}}\"";
constexpr const char* kButton =
    "<button type=\"button\" data-value=\"1\" aria-pressed=\"false\">+</button>";

// Returns a widget that contains a button, followed by the HTML in "inside". "attributes" are
// additional attributes of the widget's root element.
std::string widget(const std::string& inside, const std::string& attributes = "") {
  return std::string("<div ") + kRoot + " " + attributes + ">" + kButton + inside + "</div>";
}

std::string refusal(const std::string& html, Category category = Category::binary) {
  return templates::refuse_html(html, category).value_or("");
}

TEST(HtmlCheck, WidgetMayBePlain) { EXPECT_EQ(refusal(widget("")), ""); }

TEST(HtmlCheck, MarkersMayStandWhereTheScriptKeepsThem) {
  EXPECT_EQ(refusal(widget("<b data-stat=\"total\">{{TOTAL}}</b> {{LABEL_VOTES}}, "
                           "<b data-stat=\"average\" data-scale=\"5\">{{AVERAGE_5}}</b>"
                           "<b data-stat=\"average\">{{AVERAGE}}</b>"
                           "{{#COUNTS}}<b data-count=\"positive\">{{POSITIVE}}</b>{{/COUNTS}}",
                           "aria-label='{{LABEL_RATING}} here' data-size=\"{{SIZE}}\"")),
            "");
}

TEST(HtmlCheck, TextThatChangesWithAVoteStandsInAnElementThatNamesIt) {
  EXPECT_EQ(refusal(widget("<b data-stat=\"votes\">{{VOTES}}</b> {{LABEL_AVERAGE}}")), "");
  const std::string own = widget("<b data-stat=\"own\" data-scale=\"5\">{{OWN}}</b>");
  EXPECT_EQ(refusal(own, Category::scale), "");
  EXPECT_EQ(refusal(own, Category::binary), "");
  for (const char* inside : {"{{VOTES}}", "<b data-stat=\"total\">{{VOTES}}</b>", "{{OWN}}",
                             "<b data-stat=\"own\">{{OWN}} of 5</b>"}) {
    EXPECT_NE(refusal(widget(inside), Category::scale), "") << inside;
  }
}

// Returns a <meter> element that the check accepts if "more" and "inside" are empty.
std::string meter(const std::string& more = "", const std::string& inside = "") {
  return "<meter min=\"0\" max=\"1\" data-stat=\"share_5\" value=\"{{SHARE_5}}\"" + more + ">" +
         inside + "</meter>";
}

TEST(HtmlCheck, StepsOfAScaleHaveANumberAndABar) {
  for (const char* step : {"1", "2", "3", "4", "5"}) {
    const std::string number = step;
    EXPECT_EQ(refusal(widget("{{#COUNTS}}<b data-stat=\"step_" + number + "\">{{STEP_" + number +
                             "}}</b>{{/COUNTS}}<meter class='bar' min='0' max='1' value='{{SHARE_" +
                             number + "}}' data-stat='share_" + number + "' aria-label='{{LABEL_" +
                             number + "}}'></meter>"),
                      Category::scale),
              "");
  }
  EXPECT_EQ(refusal(widget(meter(" aria-hidden=\"true\"")), Category::scale), "");
  for (const auto category : {Category::binary, Category::bipolar}) {
    EXPECT_NE(refusal(widget(meter(" aria-hidden=\"true\"")), category), "");
    EXPECT_NE(refusal(widget("<b data-stat=\"step_1\">{{STEP_1}}</b>"), category), "");
  }
}

TEST(HtmlCheck, MetersHoldAShareAndNothingElse) {
  const std::string label = " aria-label=\"x\"";
  ASSERT_EQ(refusal(widget(meter(label)), Category::scale), "");
  for (const std::string& inside : {
           meter(),
           meter(" aria-hidden=\"false\""),
           meter(label, " "),
           meter(label, "5"),
           meter(label, "{{LABEL_5}}"),
           meter(label, "<b>x</b>"),
           meter(label, "{{SHARE_5}}"),
           meter(label, "<script>alert(1)</script>"),
           meter(label, meter(label)),
           meter(label, "<!-- x -->"),
           // A <meter> element must not have these attributes.
           meter(label + " low=\"0.2\""),
           meter(label + " high=\"1\""),
           meter(label + " optimum=\"0\""),
           meter(label + " form=\"x\""),
           meter(label + " name=\"x\""),
           meter(label + " type=\"x\""),
           meter(label + " step=\"1\""),
           meter(label + " style=\"width:100vw\""),
           meter(label + " onclick=\"alert(1)\""),
           meter(label + " onfocus=alert(1) autofocus"),
           meter(label + " data-value=\"1\""),
           meter(label + " fill=\"red\""),
           meter(label + " value=\"1\""),
           meter(" aria-label=\"{{SHARE_5}}\""),
           meter(" title=\"{{STEP_5}}\"" + label),
       }) {
    EXPECT_NE(refusal(widget(inside), Category::scale), "") << inside;
  }
  // The widgets' script updates only <meter> elements in this form.
  const std::string right = meter(label);
  const auto with = [&](const std::string& part, const std::string& other) {
    std::string html = right;
    return html.replace(html.find(part), part.size(), other);
  };
  for (const std::string& inside : {
           with("min=\"0\"", ""),
           with("min=\"0\"", "min=\"-1\""),
           with("max=\"1\"", "max=\"5\""),
           with("share_5", "share_4"),
           with("share_5", "share_6"),
           with("share_5", "share_0"),
           with("share_5", "share_55"),
           with("share_5", "share_"),
           with("share_5", "step_5"),
           with("share_5", "total"),
           with("data-stat=\"share_5\"", ""),
           with("data-stat=\"share_5\"", "data-count=\"share_5\""),
           with("{{SHARE_5}}", "{{SHARE_4}}"),
           with("{{SHARE_5}}", "0.5"),
           with("{{SHARE_5}}", ""),
           with("{{SHARE_5}}", "{{SHARE_5}}0"),
           with("{{SHARE_5}}", "{{SHARE_5}}{{SHARE_5}}"),
           with("{{SHARE_5}}", "{{STEP_5}}"),
           with("{{SHARE_5}}", "{{AVERAGE}}"),
           with("{{SHARE_5}}", "&#123;{SHARE_5}}"),
           with("value=\"{{SHARE_5}}\"", ""),
           with("\"{{SHARE_5}}\"", "{{SHARE_5}}"),
           with("</meter>", ""),
           with("></meter>", "/>"),
       }) {
    EXPECT_NE(refusal(widget(inside), Category::scale), "") << inside;
  }
}

TEST(HtmlCheck, SharesStandInMetersOnly) {
  for (const char* inside :
       {"{{SHARE_1}}", "<b data-stat=\"share_1\">{{SHARE_1}}</b>",
        "<output data-stat=\"share_1\">{{SHARE_1}}</output>",
        "<b data-stat=\"step_1\">{{SHARE_1}}</b>", "<b title=\"{{SHARE_1}}\"></b>",
        "<button type=\"button\" aria-pressed=\"false\" data-value=\"{{SHARE_1}}\">x</button>",
        "<input type=\"range\" min=\"0\" max=\"1\" value=\"{{SHARE_1}}\" aria-label=\"x\">",
        "<svg width=\"{{SHARE_1}}\"></svg>", "<svg><meter></meter></svg>", "{{STEP_1}}",
        "<b data-stat=\"step_2\">{{STEP_1}}</b>", "<b data-stat=\"step_6\">{{STEP_5}}</b>",
        "<b data-stat=\"step_1\">7</b>", "{{STEP_0}}", "{{STEP_6}}", "{{SHARE_6}}",
        "<progress max=\"1\" value=\"{{SHARE_1}}\"></progress>"}) {
    EXPECT_NE(refusal(widget(inside), Category::scale), "") << inside;
  }
}

TEST(HtmlCheck, NumbersElsewhereAreRefused) {
  for (const char* inside :
       {"{{TOTAL}}", "<b>{{TOTAL}}</b>", "<b data-stat=\"total\">{{AVERAGE}}</b>",
        "<b data-stat=\"total\">{{TOTAL}} votes</b>", "<b data-stat=\"total\">12</b>",
        "<b data-stat=\"total\"></b>", "<b data-stat=\"total\"><i>{{LABEL_VOTES}}</i></b>",
        "<b data-stat=\"average\" data-scale=\"10\">{{AVERAGE_5}}</b>",
        "<b title=\"{{TOTAL}}\"></b>", "<b data-count=\"score\">{{SCORE}}</b>",
        "<b data-stat=\"nothing\">{{TOTAL}}</b>"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, ScriptsAndTheirKinAreRefused) {
  for (const char* inside : {"<script>alert(1)</script>",
                             "<SCRIPT src=//x></SCRIPT>",
                             "<style>*{}</style>",
                             "<iframe></iframe>",
                             "<object></object>",
                             "<embed>",
                             "<link rel=stylesheet href=x>",
                             "<meta http-equiv=refresh>",
                             "<base href=//x>",
                             "<img src=x>",
                             "<video></video>",
                             "<form></form>",
                             "<textarea></textarea>",
                             "<select></select>",
                             "<a>x</a>",
                             "<math></math>",
                             "<template></template>",
                             "<noscript></noscript>",
                             "<title></title>",
                             "<xmp></xmp>",
                             "<plaintext>",
                             "<svg><script>alert(1)</script></svg>",
                             "<svg><a>x</a></svg>",
                             "<svg><use/></svg>",
                             "<svg><animate/></svg>",
                             "<svg><set/></svg>",
                             "<svg><style></style></svg>",
                             "<svg><foreignObject><b></b></foreignObject></svg>",
                             "<svg><image/></svg>",
                             "<svg><desc><b>x</b></desc></svg>",
                             "<svg><title>x</title></svg>",
                             "<svg>text</svg>",
                             "<svg><path/>text</svg>",
                             "<!-- x -->",
                             "<!DOCTYPE html>",
                             "<?php x ?>",
                             "<![CDATA[x]]>",
                             "<x-y></x-y>",
                             "<input type=\"text\" data-value=\"1\">",
                             "<input>"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, HandlersStylesAndAddressesAreRefused) {
  for (const char* attribute : {"onclick=\"alert(1)\"",
                                "ONMOUSEOVER=\"alert(1)\"",
                                "on=\"x\"",
                                "style=\"color:red\"",
                                "href=\"javascript:alert(1)\"",
                                "xlink:href=\"x\"",
                                "src=\"x\"",
                                "action=\"x\"",
                                "formaction=\"x\"",
                                "poster=\"x\"",
                                "srcdoc=\"x\"",
                                "id=\"x\"",
                                "name=\"x\"",
                                "data-wp-on--click=\"x\"",
                                "data-bs-html=\"x\"",
                                "x-data=\"x\"",
                                "is=\"x\"",
                                "slot=\"x\"",
                                "contenteditable",
                                "autofocus",
                                "{{LABEL_LIKE}}=\"x\"",
                                "data-{{LABEL_LIKE}}=\"x\"",
                                "popovertarget=\"x\"",
                                "\"=\"x\"",
                                "a\"b=\"x\"",
                                "class=\"x\" class=\"y\""}) {
    EXPECT_NE(refusal(widget("", attribute)), "") << attribute;
    EXPECT_NE(refusal(widget(std::string("<svg ") + attribute + "></svg>")), "") << attribute;
  }
}

// Browsers load URLs in SVG presentation attributes and in CSS, so the check must reject these
// URLs.
TEST(HtmlCheck, PaintsLoadNothing) {
  EXPECT_EQ(refusal(widget("<svg fill=\"none\" stroke=\"currentColor\">"
                           "<g transform=\"rotate(45 12 12)\" fill=\"#767676\"></g></svg>")),
            "");
  for (const char* paint :
       {"fill=\"url(//evil.example/x.svg#y)\"", "stroke=\"URL( 'x' )\"", "fill=\"u\\72l(x)\"",
        "fill=\"image-set('x' 1x)\"", "fill=\"&#117;rl&#40;x)\"", "stroke=\"var(--x)\""}) {
    EXPECT_NE(refusal(widget(std::string("<svg ") + paint + "></svg>")), "") << paint;
    EXPECT_NE(refusal(widget(std::string("<svg><path ") + paint + "/></svg>")), "") << paint;
  }
  for (const char* name : {"filter", "mask", "clip-path", "cursor", "marker-end", "href"}) {
    EXPECT_NE(refusal(widget(std::string("<svg ") + name + "=\"url(x)\"></svg>")), "") << name;
  }
}

// Attributes must not contain tags, because an attribute's text can become markup if scripts are
// disabled and the element is inside <noscript>.
TEST(HtmlCheck, AttributesHoldNoTags) {
  for (const char* attribute :
       {"title=\"<img src=x onerror=alert(1)>\"", "title='\"><img src=x onerror=alert(1)>'",
        "aria-label=\"&lt;/noscript&gt;\"", "class=\"&#60;b\"", "title=\"&#x3c;!--\""}) {
    EXPECT_NE(refusal(widget("", attribute)), "") << attribute;
    EXPECT_NE(refusal(widget(std::string("<svg ") + attribute + "></svg>")), "") << attribute;
  }
}

TEST(HtmlCheck, OrderOfTheTabKeyIsThePages) {
  EXPECT_EQ(refusal(widget("", "tabindex=\"-1\"")), "");
  for (const char* value : {"1", "99", "x", ""}) {
    EXPECT_NE(refusal(widget("", std::string("tabindex=\"") + value + "\"")), "") << value;
  }
}

TEST(HtmlCheck, MarkersInOddPlacesAreRefused) {
  for (const char* inside :
       {"<{{LABEL_LIKE}}>x</{{LABEL_LIKE}}>", "<b {{LABEL_LIKE}}></b>",
        "<b title={{LABEL_LIKE}}></b>", "<b class=\"{{LABEL_LIKE}}\"></b>",
        "<b title=\"{{OBJECT_TYPE}}\"></b>", "{{OBJECT_TYPE}}",
        "<b data-object-id=\"{{OBJECT_ID}}\"></b>", "&#123;{TOTAL}}", "{&#123;LABEL_LIKE}}",
        "&#123;&#123;LABEL_LIKE&#125;&#125;", "<b title=\"{{#COUNTS}}x{{/COUNTS}}\"></b>",
        "<b title=\"{{#COUNTS}}\"></b>{{/COUNTS}}"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, MarkersThatCtemplateWouldTakeOtherwiseAreRefused) {
  for (const char* inside :
       {"{{LABEL_LIKE:none}}", "{{LABEL_LIKE:raw}}", "{{LABEL_LIKE:x-y=z}}", "{{%AUTOESCAPE}}",
        "{{%AUTOESCAPE context=\"JAVASCRIPT\"}}", "{{>INCLUDE}}", "{{=<% %>=}}", "{{! comment }}",
        "{{BI_NEWLINE}}", "{{#OTHER}}{{/OTHER}}", "{{LABEL_LIKE", "LABEL_LIKE}}",
        "{{{LABEL_LIKE}}}", "{{ LABEL_LIKE }}", "{{label_like}}", "{{}}", "{{\n}}",
        "{{#LABEL_LIKE}}{{/LABEL_LIKE}}"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, SectionsEndWhereTheyBegan) {
  EXPECT_EQ(refusal(widget("{{#COUNTS}}<b>x</b>{{/COUNTS}}<i>{{#COUNTS}}y{{/COUNTS}}</i>")), "");
  for (const char* inside :
       {"{{#COUNTS}}", "{{/COUNTS}}", "{{/COUNTS}}{{#COUNTS}}", "{{#COUNTS}}<b>{{/COUNTS}}</b>",
        "<b>{{#COUNTS}}</b>{{/COUNTS}}", "{{#COUNTS}}{{#COUNTS}}{{/COUNTS}}{{/COUNTS}}"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, RootIsOneAndSaysWhatItIsAbout) {
  EXPECT_NE(refusal(""), "");
  EXPECT_NE(refusal("text"), "");
  EXPECT_NE(refusal(kButton), "");
  EXPECT_NE(refusal(widget("") + widget("")), "");
  EXPECT_NE(refusal(widget("") + "text"), "");
  EXPECT_NE(refusal("{{#COUNTS}}" + widget("") + "{{/COUNTS}}"), "");
  EXPECT_EQ(refusal(" \n" + widget("") + "\n"), "");
  std::string fixed = widget("");
  fixed.replace(fixed.find("{{OBJECT_ID}}"), 13, "7");
  EXPECT_NE(refusal(fixed), "");
}

TEST(HtmlCheck, ControlsFitTheCategory) {
  const auto with = [](const std::string& control) {
    return std::string("<div ") + kRoot + ">" + control + "</div>";
  };
  const auto button = [&](const std::string& value) {
    return with("<button type=\"button\" role=\"radio\" aria-checked=\"false\" data-value=\"" +
                value + "\">x</button>");
  };
  const std::string slider = with(
      "<input type=\"range\" min=\"0\" max=\"1\" step=\"0.1\" value=\"{{AVERAGE}}\" "
      "data-value=\"{{AVERAGE}}\" aria-label=\"{{LABEL_RATING}}\">");
  EXPECT_EQ(refusal(button("0"), Category::binary), "");
  EXPECT_EQ(refusal(button("-1"), Category::bipolar), "");
  EXPECT_EQ(refusal(button("0.25"), Category::scale), "");
  EXPECT_EQ(refusal(slider, Category::scale), "");
  EXPECT_NE(refusal(button("-1"), Category::binary), "");
  EXPECT_NE(refusal(button("0.5"), Category::bipolar), "");
  EXPECT_NE(refusal(button("1.1"), Category::scale), "");
  EXPECT_NE(refusal(button("x"), Category::scale), "");
  EXPECT_NE(refusal(slider, Category::binary), "");
  EXPECT_NE(refusal(with("no control")), "");
  EXPECT_NE(refusal(with("<span data-value=\"1\">x</span>")), "");
  EXPECT_NE(refusal(with("<button data-value=\"1\" aria-pressed=\"false\">x</button>")), "");
  EXPECT_NE(
      refusal(with("<button type=\"submit\" data-value=\"1\" aria-pressed=\"false\"></button>")),
      "");
  EXPECT_NE(refusal(with("<button type=\"button\" data-value=\"1\">x</button>")), "");
}

TEST(HtmlCheck, WhatDoesNotParseIsRefused) {
  for (const char* inside :
       {"<b>", "</b>", "<b><i></b></i>", "<b", "<b title=\"x>", "<p><div></div></p>", "&nothing;",
        "<b title=x\"y></b>", "<b/ x></b>", "</div></div>", "</span>", "<b title=\"</i>\"></b>",
        "<p></b>", "<p>x</font>", "<p>x<p>y</i>", "<b>x</b onclick=\"x\">", "<b>x</b/>",
        // HTML parsers may disagree on which elements the following strings contain.
        "<svg><p></p></svg>", "<svg></p></svg>", "<svg><input/></svg>", "<b/title=\"x\">y</b>",
        "<image>", "<isindex>", "<body onload=\"x\">", "<td>x</td>", "<option>x",
        // Invalid UTF-8 and code points that are not characters must be rejected.
        "\xFF", "\xC0\xBC", "\xED\xA0\x80", "&#0;", "&#xD800;", "\x0B"}) {
    EXPECT_NE(refusal(widget(inside)), "") << inside;
  }
  EXPECT_NE(refusal(widget(std::string("a\0b", 3))), "");
}

std::string repeated(const std::string& text, unsigned times) {
  std::string all;
  for (unsigned i = 0; i < times; ++i) all += text;
  return all;
}

// Returns the concatenation of make(0), make(1), make(2) and so on, up to "limit" bytes.
std::string filled(std::size_t limit, const std::function<std::string(unsigned)>& make) {
  std::string all;
  for (unsigned i = 0;; ++i) {
    const std::string next = make(i);
    if (all.size() + next.size() > limit) return all;
    all += next;
  }
}

// Returns a start tag with a different attribute for each number. The attributes differ because
// HTML parsers keep at most three identical elements in the list of active formatting elements.
std::string distinct_bold(unsigned number) { return "<b a" + std::to_string(number) + ">"; }

std::size_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss);
}

// Checks "html" in a separate process, and returns the growth of that process's peak memory in MiB.
int mebibytes_for(const std::string& html) {
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = peak_kilobytes();
    static_cast<void>(templates::refuse_html(html, Category::binary));
    _exit(static_cast<int>(std::min<std::size_t>((peak_kilobytes() - before) / 1024, 255)));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(HtmlCheck, MemoryIsBounded) {
  constexpr std::size_t kLimit = 16'384;
  const auto same = [](const char* text) { return [text](unsigned) { return std::string(text); }; };
  const std::string bold = filled(kLimit / 2, distinct_bold);
  for (const std::string& html :
       {"<p>" + bold + filled(kLimit / 2 - 3, same("<p>x")),
        filled(kLimit, [](unsigned i) { return distinct_bold(i) + "<p>"; }),
        filled(kLimit, [](unsigned i) { return "<table>" + distinct_bold(i); }),
        filled(kLimit, [](unsigned i) { return distinct_bold(i) + "<button>"; }),
        filled(kLimit, same("<b>")), filled(kLimit, same("<div>")),
        bold + filled(kLimit / 4, same("<div>")) + filled(kLimit / 4, same("</b>")),
        "<p><b " + filled(kLimit / 2, [](unsigned i) { return " a" + std::to_string(i); }) + ">" +
            filled(kLimit / 3, same("<p>x")),
        filled(kLimit / 2, [](unsigned i) { return "<b a" + std::to_string(i) + "/>"; }) +
            filled(kLimit / 2, same("<p>x")),
        filled(kLimit, same("<p/=<b")), "<b title=\"" + filled(kLimit, same("\xFF")) + "\">"}) {
    const int grown = mebibytes_for(html);
    EXPECT_GE(grown, 0) << html.substr(0, 40);
    EXPECT_LE(grown, 16) << html.substr(0, 40);
  }
}

TEST(HtmlCheck, DepthIsBounded) {
  const auto nested = [](unsigned times) {
    return widget(repeated("<span>", times) + repeated("</span>", times));
  };
  EXPECT_EQ(refusal(nested(15)), "");
  EXPECT_EQ(refusal(nested(16)), "elements may be nested up to 16 deep");
  EXPECT_EQ(refusal(nested(1000)), "elements may be nested up to 16 deep");
}

TEST(HtmlCheck, TagsAreBounded) {
  // The widget's own tags also count towards the limit.
  EXPECT_EQ(refusal(widget(repeated("<b></b>", 498))), "");
  EXPECT_EQ(refusal(widget(repeated("<b></b>", 499))), "it may have up to 1000 tags");
}

TEST(HtmlCheck, AttributesAreBounded) {
  const auto with = [](unsigned count) {
    return widget("<b" +
                  filled(std::size_t{8} * count,
                         [](unsigned i) {
                           return " aria-" + std::string(1, static_cast<char>('a' + i % 26)) +
                                  std::string(1, static_cast<char>('a' + i / 26));
                         }) +
                  "></b>");
  };
  EXPECT_EQ(refusal(with(32)), "");
  EXPECT_EQ(refusal(with(33)), "an element may have up to 32 attributes");
}

TEST(HtmlCheck, TagsMayBeWrittenInAllTheWaysOfHtml) {
  for (const char* inside :
       {"<B CLASS=x>y</B>", "<b\ntitle\t=\r\n'>'\f>x</b>", "<b title=\">\" lang='\"'>x</b>",
        "<b title=x/>y</b>", "<b title>x</b>", "<b title=\"\">x</b>", "a > b",
        "<svg><path/><g><circle /></g></svg>", "<svg/>",
        // HTML allows a paragraph without an end tag.
        "<p>x<p>y", "<p>x<div>y</div>"}) {
    EXPECT_EQ(refusal(widget(inside)), "") << inside;
  }
}

TEST(HtmlCheck, RefusalSaysWhat) {
  EXPECT_EQ(refusal(widget("<script></script>")), "the element script is not allowed");
  EXPECT_EQ(refusal(widget("", "onclick=\"x\"")), "the attribute onclick is not allowed here");
  EXPECT_EQ(refusal(widget("{{LABEL_LIKE:none}}")), "{{LABEL_LIKE:none}} is not a marker.");
  EXPECT_EQ(refusal(widget("<b/>")), "/> does not end the element b");
  EXPECT_EQ(refusal(widget("1 < 2")), "a < that begins no tag must be written as &lt;");
  EXPECT_EQ(refusal(widget("<b><i></b></i>")),
            "</b> does not end the element that was opened last");
}

}  // namespace
