import { expect, test } from "bun:test";
import { askCommand } from "#agent/askCommand.ts";

// Guarantee: a caller whose answer is lost is told what may have happened to their money.

async function askLosing(env: Record<string, string>): Promise<unknown> {
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		async fetch(request) {
			await request.text();
			await server.stop(true);
			return new Response();
		},
	});
	const url = `http://127.0.0.1:${server.port}`;
	const context = { env, out: () => {}, note: () => {} };
	return askCommand
		.run(["send", "1", "eth", "--url", url], context as never)
		.catch((error) => error);
}

test("after a lost answer a signed-in caller is warned that the command may still have been executed", async () => {
	expect(await askLosing({ TAPELINE_TOKEN: "token" })).toMatchObject({
		code: "ask_failed",
		publicDetail: expect.stringContaining('ask "my intents" before you send it again'),
	});
	expect(await askLosing({})).toMatchObject({
		publicDetail: expect.stringMatching(/is it running\?$/),
	});
});

async function askAnswered(tool: string, data: unknown): Promise<{ code: number; said: string[] }> {
	const reply = { kind: "done", line: "Your buy.", command: null, isProposal: false, tool, data };
	const rest = { asOf: null, links: [], suggestions: [], code: null };
	const server = Bun.serve({
		port: 0,
		hostname: "127.0.0.1",
		fetch: () => Response.json({ ...reply, ...rest }),
	});
	const said: string[] = [];
	const context = { env: {}, out: () => {}, note: (line: string) => void said.push(line) };
	const url = `http://127.0.0.1:${server.port}`;
	const code = await askCommand.run(["buy", "it", "--url", url], context as never);
	await server.stop(true);
	return { code, said };
}

test("an action that the limits refused gives exit code 1 and its reason; a requested question gives 0", async () => {
	const refused = { status: "rejected", errorCode: "per_trade_limit" };
	expect(await askAnswered("buy_nft", refused)).toEqual({
		code: 1,
		said: ["not done: per_trade_limit"],
	});
	const expired = { status: "expired", errorCode: null };
	expect(await askAnswered("prepare_send", expired)).toEqual({
		code: 1,
		said: ["not done: expired"],
	});
	const fine = { code: 0, said: [] };
	expect(await askAnswered("buy_nft", { status: "submitted", errorCode: null })).toEqual(fine);
	expect(await askAnswered("read_intent", refused)).toEqual(fine);
	const calledOff = { status: "rejected", errorCode: "cancelled" };
	expect(await askAnswered("cancel_intent", calledOff)).toEqual(fine);
	expect(await askAnswered("read_help", null)).toEqual(fine);
});
