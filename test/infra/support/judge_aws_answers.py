"""Compares answers with the models of AWS's own SDK: reads {"eks describe-cluster": {…}} and writes what no such answer could have."""
import json
import sys

import botocore.session
from botocore import xform_name

models = botocore.session.get_session()


def faults(value, shape, path):
    if shape.type_name == "structure":
        if not isinstance(value, dict):
            return [f"{path} is a structure"]
        unknown = [f"{path}.{name} is unknown" for name in value if name not in shape.members]
        known = [faults(value[name], shape.members[name], f"{path}.{name}") for name in value if name in shape.members]
        return unknown + [fault for found in known for fault in found]
    if shape.type_name == "list":
        return [fault for item in value for fault in faults(item, shape.member, f"{path}[]")]
    allowed = getattr(shape, "enum", None) or []
    return [f"{path} is never {value}"] if allowed and value not in allowed else []


def of(command, answer):
    service, operation = command.split(" ")
    model = models.get_service_model(service)
    # As the CLI makes its words: describe_db_instances of DescribeDBInstances.
    named = [name for name in model.operation_names if xform_name(name, "-") == operation]
    return faults(answer, model.operation_model(named[0]).output_shape, command) if named else [f"{command} is unknown"]


print(json.dumps([fault for command, answer in json.load(sys.stdin).items() for fault in of(command, answer)]))
