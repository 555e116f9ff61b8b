import { expect, test } from "bun:test";
import { askCommand } from "#agent/askCommand.ts";

// Guarantee: who loses an answer at the terminal is told what may have happened to their money.

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

test("an answer that is lost is no proof that nothing was done, for who is signed in", async () => {
	expect(await askLosing({ TAPELINE_TOKEN: "token" })).toMatchObject({
		code: "ask_failed",
		publicDetail: expect.stringContaining('ask "my intents" before you send it again'),
	});
	expect(await askLosing({})).toMatchObject({
		publicDetail: expect.stringMatching(/is it running\?$/),
	});
});
