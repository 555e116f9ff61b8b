import { afterEach, expect, test } from "bun:test";
import { openHeadSocket } from "#core/chain/heads/openHeadSocket.ts";
import { collector } from "#core/chain/heads/testing/collector.ts";
import { type FakeNode, fakeNode } from "#core/chain/rpc/testing/fakeNode.ts";

const CHAIN_ID = 31_337;
const closing: (() => unknown)[] = [];
afterEach(async () => {
	for (const close of closing.splice(0).reverse()) await close();
});

const sale = { topics: ["0x5a1e"] } as const;
const mint = { topics: ["0x317"] } as const;

/** Starts a node that names each subscription by its filter, and refuses the given ones. */
function open({ refuses = [] as string[], chainId = CHAIN_ID } = {}) {
	const node: FakeNode = fakeNode({ chainId });
	closing.push(() => node.stop());
	const answer = node.socketAnswer;
	node.socketAnswer = (call) => {
		const [kind, filter] = call.params as [string, { topics: string[] } | undefined];
		if (call.method !== "eth_subscribe" || kind !== "logs") return answer(call);
		const [name = ""] = filter?.topics ?? [];
		const said = refuses.includes(name) ? { error: { code: -32_601 } } : { result: name };
		return JSON.stringify({ jsonrpc: "2.0", id: call.id, ...said });
	};
	const heard = collector<string>();
	const listener = (
		name: string,
		filter: { topics: readonly ["0x5a1e"] | readonly ["0x317"] },
	) => ({
		filters: [filter],
		onLog: (log: unknown) => heard.add(`${name} ${String(log)}`),
	});
	const close = openHeadSocket({
		url: node.wsUrl,
		chainId: CHAIN_ID,
		silenceMaxMs: 60_000,
		listeners: [listener("sale", sale), listener("mint", mint)],
		onHead: ({ number }) => heard.add(`head ${number}`),
		onEnd: (reason) => heard.add(reason),
	});
	closing.push(close);
	return { node, heard };
}

test("each listener receives the logs of its own filters, beside the heads", async () => {
	const { node, heard } = open();
	const { socketAnswer } = node;
	let subscribed = 0;
	node.socketAnswer = (call) => {
		if (call.method === "eth_subscribe" && ++subscribed === 3) {
			setTimeout(() => {
				node.push("0x317", "a mint");
				node.announce(7);
				node.push("0x5a1e", "a sale");
				node.push("0xelse", "of nobody");
				node.announce(8);
			});
		}
		return socketAnswer(call);
	};
	const all = [];
	for (let told = 0; told < 4; told++) all.push(await heard.next());
	expect(all).toEqual(["mint a mint", "head 7", "sale a sale", "head 8"]);
});

test("a node that refuses to push logs still announces heads", async () => {
	const { node, heard } = open({ refuses: ["0x5a1e", "0x317"] });
	const { socketAnswer } = node;
	let subscribed = 0;
	node.socketAnswer = (call) => {
		if (call.method === "eth_subscribe" && ++subscribed === 3) setTimeout(() => node.announce(7));
		return socketAnswer(call);
	};
	expect(await heard.next()).toBe("head 7");
});

test("no log of a socket that serves another chain is passed on", async () => {
	const { node, heard } = open({ chainId: 1 });
	const { socketAnswer } = node;
	node.socketAnswer = (call) => {
		if (call.method === "eth_chainId") {
			for (const name of ["0x5a1e", "0x317"]) node.push(name, "a log");
		}
		return socketAnswer(call);
	};
	expect(await heard.next()).toBe("it serves chain 0x1");
	expect(heard.rest()).toEqual([]);
});
