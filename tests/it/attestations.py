"""Reads the attestations of an unpacked bundle with the libraries of in-toto and securesystemslib.

Prints the type, result and subject of each attestation. Fails if a signature or a field is not as
their specifications say.
"""

import json
import sys
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1.provenance_pb2 import Provenance
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.predicates.vsa.v1.vsa_pb2 import VerificationSummary
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

FILES = {
    "test-results.intoto.jsonl": ("https://in-toto.io/attestation/test-result/v0.1", TestResult),
    "verification-summary.intoto.jsonl": (
        "https://slsa.dev/verification_summary/v1",
        VerificationSummary,
    ),
    "provenance.intoto.jsonl": ("https://slsa.dev/provenance/v1", Provenance),
}


def descriptors(predicate):
    if isinstance(predicate, TestResult):
        return predicate.configuration
    if isinstance(predicate, Provenance):
        return predicate.build_definition.resolved_dependencies
    return []


def result(predicate, levels):
    if isinstance(predicate, TestResult):
        return f"{predicate.result} {len(predicate.passed_tests)} passed"
    if isinstance(predicate, VerificationSummary):
        return f"{predicate.verification_result} {levels[0]}"
    details = predicate.run_details
    started, finished = details.metadata.started_on, details.metadata.finished_on
    return f"{0 < started.seconds <= finished.seconds}"


def main():
    folder = Path(sys.argv[1])
    public_key = load_pem_public_key((folder / "seal.pub").read_bytes())
    for name, (predicate_type, schema) in FILES.items():
        for line in (folder / name).read_text().splitlines():
            signed = json.loads(line)
            key_id = signed["signatures"][0]["keyid"]
            key = SSlibKey.from_crypto(public_key, key_id)
            envelope = Envelope.from_dict(signed)
            assert list(envelope.verify([key], 1)) == [key_id]
            # Unknown fields are errors.
            statement = json_format.Parse(envelope.payload, statement_pb2.Statement())
            Statement.copy_from_pb(statement).validate()
            assert statement.predicate_type == predicate_type, statement.predicate_type
            fields = json_format.MessageToDict(statement.predicate)
            # Version 0.9.3 of the schema declares this list as a single string.
            levels = fields.pop("verifiedLevels", [])
            assert all(isinstance(level, str) for level in levels), levels
            predicate = json_format.ParseDict(fields, schema())
            for descriptor in descriptors(predicate):
                ResourceDescriptor.copy_from_pb(descriptor).validate()
                assert descriptor.uri or descriptor.digest or descriptor.content, descriptor
            subject = statement.subject[0]
            print(predicate_type, result(predicate, levels), subject.digest["gitCommit"], sep=" | ")


main()
