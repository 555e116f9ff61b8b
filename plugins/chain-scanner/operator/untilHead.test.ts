import { expect, test } from "bun:test";
import { untilHead } from "#plugins/chain-scanner/operator/untilHead.ts";
import { createFakeChain } from "#test/harness/fakeChain.ts";

function world() {
	const fake = createFakeChain();
	fake.mineTo(3);
	const stopping = new AbortController();
	const notes: string[] = [];
	const chain = { slug: "anvil" } as Parameters<typeof untilHead>[0]["chain"];
	const ask = () =>
		untilHead(
			{ chain, rpcFor: () => fake.rpc },
			{ signal: stopping.signal, note: (line) => void notes.push(line) },
		);
	return { fake, stopping, notes, ask };
}

test("an endpoint that is away is waited for, which is said once", async () => {
	const { fake, notes, ask } = world();
	fake.troubles.down = true;
	const asked = ask();
	while (notes.length === 0) await Promise.resolve();
	fake.troubles.down = false;
	expect((await asked)?.number).toBe(3);
	expect(notes).toEqual(["the RPC endpoint of anvil does not answer; waiting for it"]);
});

test("whoever gives up waiting gets no head", async () => {
	const { fake, stopping, notes, ask } = world();
	fake.troubles.down = true;
	const asked = ask();
	while (notes.length === 0) await Promise.resolve();
	stopping.abort();
	expect(await asked).toBeNull();
});
