/** JSON with whole numbers of any size, which are `{ "$n": "…" }` in it. */
export const bigintJson = {
	write: (value: unknown): string =>
		JSON.stringify(value, (_, one) => (typeof one === "bigint" ? { $n: String(one) } : one)),
	read: (text: string): unknown =>
		JSON.parse(text, (_, one) => {
			return typeof one === "object" && one !== null && "$n" in one ? BigInt(one.$n) : one;
		}),
};
