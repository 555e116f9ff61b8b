/**
 * Returns the first of each list, then the second of each: each list keeps its order, and none goes
 * last.
 */
export function interleave<Item>(lists: readonly (readonly Item[])[]): Item[] {
	const longest = Math.max(0, ...lists.map((list) => list.length));
	const mixed: Item[] = [];
	for (let place = 0; place < longest; place++) {
		for (const list of lists) {
			const item = list[place];
			if (item !== undefined) mixed.push(item);
		}
	}
	return mixed;
}
