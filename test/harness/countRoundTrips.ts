import { Client } from "pg";

/**
 * Counts round trips to databases while something runs, of all connections of this process:
 * statements that are under way at the same time count as one. So nothing else may ask meanwhile.
 */
export async function countRoundTrips(run: () => Promise<unknown>): Promise<number> {
	let [trips, underWay] = [0, 0];
	const { query } = Client.prototype;
	const counting = function (this: Client, ...given: unknown[]) {
		if (underWay === 0) trips++;
		underWay++;
		const end = () => {
			underWay--;
		};
		// A pool's own query is answered by a function, any other by a promise.
		const answered = given.at(-1);
		if (typeof answered !== "function") {
			const asked: Promise<unknown> = Reflect.apply(query, this, given);
			asked.then(end, end);
			return asked;
		}
		const told = (...answer: unknown[]) => {
			end();
			return answered(...answer);
		};
		return Reflect.apply(query, this, [...given.slice(0, -1), told]);
	};
	Object.assign(Client.prototype, { query: counting });
	try {
		await run();
	} finally {
		Object.assign(Client.prototype, { query });
	}
	return trips;
}
