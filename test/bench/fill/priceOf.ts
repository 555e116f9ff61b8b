/**
 * Returns the price of the event with a log index, as SQL: 0.001 to 5 ETH. It depends on nothing
 * else, so that a rollup finds the prices of its first and last sale from their positions, without
 * sorting.
 */
export function priceOf(logIndex: string): string {
	return `1000000000000000 * (1 + (hashint8extended(${logIndex}, 4) & 1073741823) % 5000)`;
}
