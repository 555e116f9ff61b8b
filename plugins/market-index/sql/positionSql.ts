import { PROVIDER_LOG_INDEX } from "#plugins/market-index/event/providerPlace.ts";

/** The result of `positionOf` from an event's columns: its place in the chain as one number. */
export const positionSql = `((block_number << 30) | case
	when log_index >= ${PROVIDER_LOG_INDEX} then (log_index - ${PROVIDER_LOG_INDEX})::int8
	else (least(log_index, 1048575)::int8 << 10) | least(sub_index, 1023) end)`;
