import type { RawLog } from "#core/chain/RawLog.ts";

/** A log's fields without its data and topics, as nodes write them; measured on anvil. */
const LOG_BYTES = 420;
const TOPIC_BYTES = 69;

/** Estimates the bytes of these logs in a node's answer. */
export function logBytes(logs: readonly Pick<RawLog, "data" | "topics">[]): number {
	let bytes = 0;
	for (const { data, topics } of logs) {
		bytes += LOG_BYTES + data.length + topics.length * TOPIC_BYTES;
	}
	return bytes;
}
