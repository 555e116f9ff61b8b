/** The columns that writing an `event` sets, in the order of `copyEvents`. */
const COLUMNS = [
	"occurred_at",
	"block_number",
	"chain_id",
	"collection_id",
	"log_index",
	"sub_index",
	"kind",
	"accepted",
	"onchain_verified",
	"block_hash",
	"transaction_hash",
	"from_address",
	"to_address",
	"token_id",
	"quantity",
	"currency",
	"total_raw",
	"total_native",
	"venue",
	"reason",
	"payload",
];

export const INSERT_COLUMNS = COLUMNS.join(", ");
export const INSERT_COLUMN_COUNT = COLUMNS.length;
