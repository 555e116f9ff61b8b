/** What `positionOf` answers, of an event's columns: its place in the chain as one number. */
export const positionSql =
	"((block_number << 30) | (least(log_index, 1048575)::int8 << 10) | least(sub_index, 1023))";
