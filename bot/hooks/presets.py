"""The form products whose requests are understood."""

from enum import StrEnum


class Preset(StrEnum):
    """What a source is.  A starting point only: a body of another shape is read all the same."""

    TILDA = "tilda"
    CF7 = "cf7"
    ELEMENTOR = "elementor"
    WPFORMS = "wpforms"
    TYPEFORM = "typeform"
    JOTFORM = "jotform"
    TALLY = "tally"
    WEBFLOW = "webflow"
    GOOGLE_FORMS = "google-forms"
    GOOGLE_ADS = "google-ads"
    GENERIC = "generic"
