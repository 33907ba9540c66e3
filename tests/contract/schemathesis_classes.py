"""Classes of disagreements between the gateway and schemathesis: schemathesis.md says what each is, and who is right.

A finding has a class only if all that the gateway said of it is explained. A name here is a row of that page.
"""

import email
import email.policy
import json
import urllib.parse

# What the gateway does not check of `format`; schemathesis's validator does, in some versions of OpenAPI.
FORMATS_UNCHECKED = {"idn-email", "idn-hostname", "iri", "iri-reference", "uri-template", "relative-json-pointer"}

# Words of `detail` for a refusal that is no violation of a rule.
DETAILS = [
    ("holds an encoded control character", "control character"),
    ("holds an encoded / \\ . ? # or ;", "encoded delimiter in a path"),
    ("a field that is not a list occurs twice", "repeated undeclared field"),
    ("a field that must be JSON is not", "object in a form, by its keys"),
    ("needs a body, and has none", "empty body"),
]


def is_form(finding):
    return (finding["media_type"] or "").split(";")[0] in ("multipart/form-data", "application/x-www-form-urlencoded")


def draft_formats(document):
    """The formats that schemathesis's validator checks in this version of OpenAPI."""
    from schemathesis.core.jsonschema import VALIDATED_FORMATS_BY_DRAFT
    import jsonschema_rs

    is_new = document.get("openapi", "").startswith(("3.1", "3.2"))
    return VALIDATED_FORMATS_BY_DRAFT[jsonschema_rs.Draft202012Validator if is_new else jsonschema_rs.Draft4Validator]


def is_unusable(pattern):
    """Whether schemathesis's validator cannot compile the pattern, and so enforces nothing."""
    import jsonschema_rs

    try:
        jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=jsonschema_rs.FancyRegexOptions())
    except Exception:  # the library has an error of its own for each cause
        return True
    return False


def resolved(node, document):
    """What a chain of references within the document leads to."""
    for _ in range(10):
        if not isinstance(node, dict) or "$ref" not in node:
            return node
        target = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target.get(urllib.parse.unquote(step).replace("~1", "/").replace("~0", "~"), {})
        node = target
    return {}


def schemas_of(node, name):
    """The schemas of properties of this name, anywhere in the document."""
    if isinstance(node, dict):
        own = node.get("properties")
        if isinstance(own, dict) and isinstance(own.get(name), dict):
            yield own[name]
        for value in node.values():
            yield from schemas_of(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from schemas_of(value, name)


def missing_property(violation, finding, document):
    """Of a property that the gateway misses: an empty list that a form cannot say, or one that is read-only."""
    found = [resolved(schema, document) for schema in schemas_of(document, violation.get("expected"))]
    if is_form(finding) and any(schema.get("type") == "array" for schema in found):
        return "empty list in a form"
    if not document.get("openapi", "").startswith("3.0") and any(schema.get("readOnly") is True for schema in found):
        return "required and read-only"
    return None


def class_of_violation(violation, finding, document):
    rule, message = violation.get("rule"), violation.get("message") or ""
    if rule == "encoding" and "control characters" in message:
        return "control character"
    if rule == "style" and "must not contain an encoded" in message:
        return "encoded delimiter in a parameter"
    if rule == "content" and "a field that is not a list occurs twice" in message:
        return "repeated undeclared field"
    if rule == "format" and violation.get("expected") == "float":
        return "single precision"
    if rule == "format" and violation.get("expected") not in draft_formats(document):
        return "format that its validator does not check"
    if rule == "pattern" and is_unusable(violation.get("expected") or ""):
        return "pattern that its validator does not enforce"
    if rule == "required" and violation.get("in") == "body":
        return missing_property(violation, finding, document)
    if violation.get("in") == "query" and violation.get("pointer") == "/0":
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(finding["url"]).query, keep_blank_values=True)
        if query.get(violation.get("name")) == [""]:
            return "empty list in a query"
    return None


def class_of_refusal(finding, document):
    if finding["violations"]:
        classes = [class_of_violation(violation, finding, document) for violation in finding["violations"]]
        return classes[0] if all(classes) else None
    detail = finding["detail"] or ""
    for words, name in DETAILS:
        if words in detail:
            return name
    has_controls = any(ord(one) < 32 for one in finding["body"].replace("\r\n", ""))
    if "the head of a part is malformed" in detail and has_controls:
        return "control character"
    return None


def fields_of(finding):
    """The fields of the form that was sent: lists of texts, or None for a body that cannot be read."""
    if finding["media_type"].startswith("application/x-www-form-urlencoded"):
        return urllib.parse.parse_qs(finding["body"], keep_blank_values=True)
    head = "Content-Type: " + finding["headers"].get("Content-Type", "") + "\r\n\r\n"
    fields = {}
    for part in email.message_from_string(head + finding["body"], policy=email.policy.HTTP).iter_parts():
        name = part.get_param("name", header="content-disposition")
        fields.setdefault(name, []).append(part.get_payload())
    return fields


def readings(text):
    """A field as text, and as the plain value that it spells."""
    yield text
    try:
        yield json.loads(text)
    except ValueError:
        pass


def form_is_valid(finding, document):
    """Whether the fields that were sent are valid, each read as its schema says: text, number, list."""
    import jsonschema_rs

    method, path = finding["operation"].split(" ", 1)
    operation = resolved(document.get("paths", {}).get(path, {}), document).get(method.lower(), {})
    content = resolved(operation.get("requestBody", {}), document).get("content", {})
    schema = content.get(finding["media_type"], {}).get("schema")
    if schema is None or len(finding["body"]) >= 4000:
        return False
    components = {"components": document.get("components", {})}

    def accepts(value, of):
        return jsonschema_rs.Draft4Validator({"allOf": [of], **components}).is_valid(value)

    properties = resolved(schema, document).get("properties", {})
    read = {}
    for name, texts in fields_of(finding).items():
        own = properties.get(name, {})
        is_list = resolved(own, document).get("type") == "array"
        item = resolved(own, document).get("items", {}) if is_list else own
        values = [next((value for value in readings(text) if accepts(value, item)), text) for text in texts]
        read[name] = values if is_list else values[0]
    return accepts(read, schema)


def class_of_pass(finding, document):
    media_type = finding["media_type"] or ""
    said = finding["said"]
    if finding["unchecked"]:
        return "unchecked XML body" if "xml" in media_type else "unchecked place"
    if is_form(finding) and not finding["body"]:
        return "empty body"
    if "violates `format`" in said and any(f"`{name}`" in said or f"/{name}" in said for name in FORMATS_UNCHECKED):
        return "format that the gateway does not check"
    if is_form(finding) and form_is_valid(finding, document):
        return "field of a form, read as text"
    return None


def class_of(finding, document):
    """The class, or an empty text if there is none."""
    classify = class_of_pass if finding["mode"] == "negative" else class_of_refusal
    return classify(finding, document) or ""
