import { expect, test } from "bun:test";
import type { ProviderClient } from "#plugins/custody/createProviderClient.ts";
import { createQuorums } from "#plugins/custody/createQuorums.ts";
import { custodyFault } from "#plugins/custody/faults.ts";
import { QUORUM_REMEMBERED_MS, QUORUMS_REMEMBERED_MAX } from "#plugins/custody/limits.ts";

const KEY = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE";
const { signal } = new AbortController();

function open(answerOf: (id: string) => unknown) {
	const state = { nowMs: 0, asked: 0 };
	const client: ProviderClient = {
		urlOf: (path) => path,
		async ask() {
			throw custodyFault.off();
		},
		async read({ path }) {
			state.asked += 1;
			const json = answerOf(path.split("/").at(-1) ?? "");
			return json === null ? null : { json };
		},
		unreadable: () => custodyFault.unreadable(),
	};
	const clock = { nowMs: () => state.nowMs };
	return { state, quorums: createQuorums({ client, publicKey: KEY, clock }) };
}

const quorum = (id: string, keys: string[], threshold: number | null = null) => ({
	id,
	authorization_threshold: threshold,
	authorization_keys: keys.map((public_key) => ({ public_key, display_name: null })),
	user_ids: ["somebody"],
});

test("a quorum is ours where our key alone speaks for it", async () => {
	const pem = `-----BEGIN PUBLIC KEY-----\n${KEY.slice(0, 20)}\n${KEY.slice(20)}\n-----END PUBLIC KEY-----\n`;
	const answers: [unknown, boolean][] = [
		[quorum("q", ["other", KEY]), true],
		[quorum("q", [KEY], 1), true],
		[quorum("q", [pem]), true],
		[quorum("q", [KEY, "other"], 2), false],
		[quorum("q", ["other", `${KEY}A`, KEY.slice(1)]), false],
		[quorum("q", []), false],
		[null, false],
	];
	for (const [answer, isOurs] of answers) {
		expect(await open(() => answer).quorums.isOurs("q", signal)).toBe(isOurs);
	}
});

test("an answer about another quorum, or none that can be read, decides nothing", async () => {
	for (const answer of [quorum("r", [KEY]), {}, [], "q"]) {
		const { quorums, state } = open(() => answer);
		await expect(quorums.isOurs("q", signal)).rejects.toThrow("wallet_provider_unreadable");
		await expect(quorums.isOurs("q", signal)).rejects.toThrow("wallet_provider_unreadable");
		expect(state.asked).toBe(2);
	}
});

test("what was learnt is remembered for ten minutes, of so many quorums", async () => {
	const { quorums, state } = open((id) => quorum(id, [KEY]));
	await quorums.isOurs("q0", signal);
	await quorums.isOurs("q0", signal);
	expect(state.asked).toBe(1);
	state.nowMs += QUORUM_REMEMBERED_MS;
	await quorums.isOurs("q0", signal);
	expect(state.asked).toBe(2);
	for (let n = 1; n <= QUORUMS_REMEMBERED_MAX; n++) await quorums.isOurs(`q${n}`, signal);
	state.asked = 0;
	await quorums.isOurs(`q${QUORUMS_REMEMBERED_MAX}`, signal);
	expect(state.asked).toBe(0);
	await quorums.isOurs("q0", signal);
	expect(state.asked).toBe(1);
});
