// Runs bare `Bun.serve` and `publish` with the frames that the service would send, in a process of
// its own. Takes the same orders as `publishingService.ts`; the frames of a transaction go out in
// one turn.
import { createInterface } from "node:readline";
import { setImmediate } from "node:timers/promises";
import { benchFrame } from "#test/bench/reference/benchFrame.ts";

const TOPIC = "collection:anvil:0x00000000000000000000000000000000000000aa";
let seq = 0;

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	fetch(request, server) {
		return server.upgrade(request) ? undefined : new Response("a socket is served here\n");
	},
	websocket: {
		// The service's own, so that a slow client costs both the same.
		backpressureLimit: 1024 * 1024,
		closeOnBackpressureLimit: true,
		perMessageDeflate: false,
		open(socket) {
			socket.subscribe(TOPIC);
			socket.send(JSON.stringify({ type: "hello", seq }));
		},
		message() {},
	},
});

const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
say({ url: `http://127.0.0.1:${server.port}/` });
for await (const line of createInterface({ input: process.stdin })) {
	const { transactions, frames } = JSON.parse(line);
	say({ beganAtMs: Date.now() });
	for (let transaction = 0; transaction < transactions; transaction++) {
		const at = new Date().toISOString();
		for (let index = 0; index < frames; index++) {
			const { type, data } = benchFrame();
			server.publish(TOPIC, JSON.stringify({ type, seq: ++seq, topic: TOPIC, at, data }));
		}
		await setImmediate();
	}
	say({ committedAtMs: Date.now() });
}
