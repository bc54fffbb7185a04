"""The Azure SDKs of Debian's python3, as a program would use them: each function is one story."""

import datetime
import os
import sys
import uuid

from azure.core import MatchConditions
from azure.core.credentials import AzureNamedKeyCredential, AzureSasCredential
from azure.core.exceptions import HttpResponseError
from azure.data import tables
from azure.storage import blob, queue

CONNECTION = os.environ["AZURE_STORAGE_CONNECTION_STRING"]
NOW = datetime.datetime.now(datetime.timezone.utc)
SOON = NOW + datetime.timedelta(hours=1)


def refused(code, call, *args, **named):
    try:
        call(*args, **named)
    except HttpResponseError as error:
        # Some of the Table SDK's errors carry the code in their text alone.
        found = getattr(error, "error_code", None)
        assert getattr(found, "value", found) == code or (found is None and code in str(error)), (code, error)
        return
    raise AssertionError(f"{code} was expected")


def blobs():
    service = blob.BlobServiceClient.from_connection_string(CONNECTION)
    container = service.create_container("python", metadata={"a": "b"})
    one = container.get_blob_client("d/é ü+&.txt")
    settings = blob.ContentSettings(content_type="text/plain", cache_control="no-store")
    one.upload_blob(b"hello" * 1000, metadata={"x": "y"}, tags={"t": "1"}, content_settings=settings,
                    validate_content=True)
    assert one.download_blob(validate_content=True).readall() == b"hello" * 1000
    assert one.download_blob(offset=5, length=5, validate_content=True).readall() == b"hello"
    properties = one.get_blob_properties()
    assert (properties.metadata, properties.tag_count) == ({"x": "y"}, 1), properties
    refused("BlobAlreadyExists", one.upload_blob, b"2")
    etag = properties.etag
    guarded = {"etag": etag, "match_condition": MatchConditions.IfNotModified}
    one.set_blob_metadata({"a": "1"}, **guarded)
    refused("ConditionNotMet", one.set_blob_metadata, {"a": "2"}, **guarded)
    lease = one.acquire_lease(15)
    lease.renew()
    lease.change(str(uuid.uuid4()))
    refused("LeaseIdMissing", one.delete_blob)
    assert lease.break_lease(0) == 0
    snapshot = one.create_snapshot(metadata={"q": "1"})
    listed = container.list_blobs(include=["snapshots", "metadata", "tags", "copy", "uncommittedblobs", "deleted"])
    assert [(item.name, item.snapshot is not None) for item in listed] == [(one.blob_name, True), (one.blob_name, False)]
    assert container.get_blob_client(one.blob_name, snapshot=snapshot).exists()
    one.delete_blob(delete_snapshots="include")
    small = {"max_single_put_size": 2**20, "max_block_size": 2**20, "max_single_get_size": 2**20,
             "max_chunk_get_size": 2**20}
    big = blob.BlobClient.from_connection_string(CONNECTION, "python", "big", **small)
    data = os.urandom(5_000_000)
    big.upload_blob(data, max_concurrency=4, validate_content=True)
    assert big.download_blob(max_concurrency=4, validate_content=True).readall() == data
    assert len(big.get_block_list("all")[0]) == 5


def other_blobs():
    service = blob.BlobServiceClient.from_connection_string(CONNECTION)
    container = service.create_container("python-other")
    source = container.upload_blob("source", os.urandom(100_000))
    append = container.get_blob_client("append")
    append.create_append_blob()
    append.append_block(b"abc")
    append.append_block(b"def", appendpos_condition=3, maxsize_condition=10, validate_content=True)
    sas = blob.generate_blob_sas(service.account_name, "python-other", "source", expiry=SOON, permission="r",
                                 account_key=service.credential.account_key)
    readable = f"{source.url}?{sas}"
    append.append_block_from_url(readable, 0, 1000)
    append.seal_append_blob()
    refused("BlobIsSealed", append.append_block, b"x")
    page = container.get_blob_client("page")
    page.create_page_blob(4096)
    page.upload_page(b"\1" * 512, 0, 512, validate_content=True)
    before = page.create_snapshot()
    page.upload_page(b"\2" * 512, 1024, 512)
    page.clear_page(0, 512)
    difference = page.get_page_ranges(previous_snapshot_diff=before)
    assert difference == ([{"start": 1024, "end": 1535}], [{"start": 0, "end": 511}]), difference
    page.upload_pages_from_url(readable, 2048, 512, 0)
    page.resize_blob(8192)
    page.set_sequence_number(blob.SequenceNumberAction.Update, "5")
    copied = container.get_blob_client("copied")
    assert copied.start_copy_from_url(source.url)["copy_status"] == "success"
    assert copied.start_copy_from_url(readable, requires_sync=True)["copy_status"] == "success"
    refused("NoPendingCopyOperation", copied.abort_copy, str(uuid.uuid4()))
    copied.upload_blob_from_url(readable, overwrite=True)
    copied.set_blob_tags({"p": "2"})
    assert [item.name for item in service.find_blobs_by_tags("\"p\"='2'")] == ["copied"]
    copied.set_standard_blob_tier("Cool")
    for name in ["1", "2", "3"]:
        container.upload_blob(name, b"x")
    tiers = container.set_standard_blob_tier_blobs("Cool", "1", "2", "3")
    assert [reply.status_code for reply in tiers] == [200] * 3
    gone = container.delete_blobs("none", "1", "2", "3", raise_on_any_failure=False)
    assert [reply.status_code for reply in gone] == [404, 202, 202, 202]
    table = container.upload_blob("table.csv", b"a,b\n1,2\n3,4\n")
    answer = table.query_blob("SELECT b FROM BlobStorage WHERE a > 1", blob_format=blob.DelimitedTextDialect(has_header=True),
                              output_format=blob.DelimitedJsonDialect())
    assert answer.readall() == b'{"b":"4"}\n'
    policy = blob.AccessPolicy(blob.ContainerSasPermissions(read=True), SOON, NOW)
    container.set_container_access_policy({"p": policy, "empty": None}, public_access="blob")
    assert len(container.get_container_access_policy()["signed_identifiers"]) == 2
    assert blob.BlobClient.from_blob_url(source.url).exists()
    kept = blob.ImmutabilityPolicy(expiry_time=NOW + datetime.timedelta(days=1), policy_mode="Unlocked")
    source.set_immutability_policy(kept)
    refused("BlobImmutableDueToPolicy", source.delete_blob)
    source.delete_immutability_policy()
    service.set_service_properties(delete_retention_policy=blob.RetentionPolicy(True, 2))
    source.delete_blob()
    source.undelete_blob()
    assert source.exists()
    service.set_service_properties(delete_retention_policy=blob.RetentionPolicy(False))
    container.delete_container()


def queues():
    service = queue.QueueServiceClient.from_connection_string(CONNECTION)
    one = service.create_queue("python", metadata={"a": "b"})
    one.send_message("héllo <&>", time_to_live=-1)
    one.send_message("two")
    taken = list(one.receive_messages(messages_per_page=2, visibility_timeout=30))
    assert [message.content for message in taken] == ["héllo <&>", "two"]
    one.update_message(taken[0], content="new", visibility_timeout=0)
    one.delete_message(taken[1])
    assert [message.content for message in one.peek_messages(5)] == ["new"]
    assert one.get_queue_properties().approximate_message_count == 1
    one.set_queue_access_policy({"p": queue.AccessPolicy("raup", SOON, NOW)})
    assert "p" in one.get_queue_access_policy()
    one.clear_messages()
    assert [item.name for item in service.list_queues(include_metadata=True)] == ["python"]
    one.delete_queue()
    refused("QueueNotFound", one.get_queue_properties)
    binary = queue.QueueClient.from_connection_string(
        CONNECTION, "binary", message_encode_policy=queue.BinaryBase64EncodePolicy(),
        message_decode_policy=queue.BinaryBase64DecodePolicy())
    binary.create_queue()
    binary.send_message(bytes(range(256)))
    assert binary.receive_message().content == bytes(range(256))


def entities():
    service = tables.TableServiceClient.from_connection_string(CONNECTION)
    one = service.create_table("Python")
    service.create_table_if_not_exists("python")
    assert [item.name for item in service.query_tables("TableName eq 'Python'")] == ["Python"]
    moment = datetime.datetime(2020, 1, 2, 3, 4, 5, 678900, tzinfo=datetime.timezone.utc)
    made = {"PartitionKey": "p'q", "RowKey": "r 1", "s": "é", "i": 5, "f": 1.5, "b": True, "d": moment,
            "l": tables.EntityProperty(2**40, tables.EdmType.INT64), "g": uuid.uuid4(), "bin": b"\0\1", "inf": float("inf")}
    one.create_entity(made)
    found = one.get_entity("p'q", "r 1")
    for name in ["s", "i", "f", "b", "g", "bin", "inf"]:
        assert found[name] == made[name], name
    assert found["l"].value == 2**40 and abs((found["d"] - moment).total_seconds()) < 1e-5
    refused("EntityAlreadyExists", one.create_entity, made)
    one.update_entity({"PartitionKey": "p'q", "RowKey": "r 1", "i": 6}, mode=tables.UpdateMode.MERGE)
    stale = {"etag": found.metadata["etag"], "match_condition": MatchConditions.IfNotModified}
    refused("UpdateConditionNotSatisfied", one.update_entity, made, **stale)
    for number in range(1, 30):
        one.upsert_entity({"PartitionKey": "p", "RowKey": str(number), "v": number})
    query = one.query_entities("PartitionKey eq 'p' and v gt @v", parameters={"v": 10}, results_per_page=5)
    assert len(list(query)) == 19
    assert len(list(one.query_entities("d eq @d", parameters={"d": moment}))) == 1
    one.submit_transaction([("create", {"PartitionKey": "b", "RowKey": "1"}), ("upsert", {"PartitionKey": "b", "RowKey": "2"})])
    try:
        one.submit_transaction([("create", {"PartitionKey": "b", "RowKey": "3"}), ("create", {"PartitionKey": "b", "RowKey": "1"})])
        raise AssertionError("the batch was taken")
    except tables.TableTransactionError as error:
        assert error.index == 1, error
    one.delete_entity("b", "1")
    key = service.credential
    letters = tables.TableSasPermissions(read=True)
    sas = tables.generate_table_sas(AzureNamedKeyCredential(key.named_key.name, key.named_key.key), "Python", permission=letters,
                                    expiry=SOON, start_pk="p", end_pk="p")
    bounded = tables.TableClient(service.url, "Python", credential=AzureSasCredential(sas))
    assert len(list(bounded.list_entities())) == 29
    service.delete_table("Python")


STORIES = [blobs, other_blobs, queues, entities]

if __name__ == "__main__":
    for story in STORIES:
        story()
        print(story.__name__, "done")
        sys.stdout.flush()
