import { expect, test } from "bun:test";
import {
	COMMITS_WAITING_MAX,
	createCommits,
	OWNER_COMMITS_WAITING_MAX,
} from "#core/db/commits/createCommits.ts";

// Guarantee: the queue has a limit, no owner fills it, and a refused call has done nothing.

/** Makes a database that never answers. */
function silent() {
	let begun = 0;
	const commits = createCommits({
		transaction: () => {
			begun++;
			return Promise.withResolvers<never>().promise;
		},
	});
	/** Returns the codes of the refused calls. */
	const ask = async (owners: readonly string[]) => {
		const codes: string[] = [];
		for (const owner of owners) {
			commits
				.together(owner, async () => {})
				.catch(({ code }: { code: string }) => codes.push(code));
		}
		await Promise.resolve();
		await Promise.resolve();
		return codes;
	};
	return { ask, begun: () => begun };
}

test("one owner's waiting calls are limited, and other owners still get in", async () => {
	const { ask } = silent();
	// The first one runs, so it no longer waits.
	const often = Array.from({ length: 1 + OWNER_COMMITS_WAITING_MAX }, () => "anna");
	expect(await ask(often)).toEqual([]);
	expect(await ask(["anna", "bert"])).toEqual(["commits_waiting"]);
});

test("if the queue is full no call gets in, and none is begun", async () => {
	const { ask, begun } = silent();
	const owners = Array.from({ length: 2 + COMMITS_WAITING_MAX }, (_, n) => `owner ${n}`);
	expect(await ask(owners)).toEqual([]);
	expect(await ask(["one more"])).toEqual(["commits_waiting"]);
	expect(begun()).toBe(2);
});

test("a call that had its turn does not count as waiting", async () => {
	const commits = createCommits({
		transaction: () => Promise.reject(new Error("the database is away")),
	});
	for (let n = 0; n < 2 * OWNER_COMMITS_WAITING_MAX; n++) {
		const outcome = await commits.together("anna", async () => {}).catch(String);
		expect(outcome).toContain("away");
	}
});
