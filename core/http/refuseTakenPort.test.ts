import { expect, test } from "bun:test";
import { refuseTakenPort } from "#core/http/refuseTakenPort.ts";

test("a port that another program has is refused, by its variable", async () => {
	const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
	const at = { host: "127.0.0.1", port: Number(other.port) };
	const refused = await refuseTakenPort(at).catch((fault) => fault);
	expect(refused).toMatchObject({
		code: "port_in_use",
		publicDetail: `PORT is ${at.port}, and another program listens there. Stop it, or set another PORT.`,
	});
	await other.stop(true);
	await refuseTakenPort(at);
});

test("a free port is free afterwards, and 0 is always free", async () => {
	await refuseTakenPort({ host: "127.0.0.1", port: 0 });
	const probe = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
	const at = { host: "127.0.0.1", port: Number(probe.port) };
	await probe.stop(true);
	await refuseTakenPort(at);
	await refuseTakenPort(at);
});
