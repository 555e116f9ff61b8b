// Runs bare `Bun.serve` with the same answer to everything, in a process of its own: the bytes and
// the headers that matter to a client of the service. Prints its URL as one JSON line and runs
// until it is killed. Argument: a file with `{ headers }` and either `text` or, compressed,
// `base64`.
const [answerFile = ""] = process.argv.slice(2);
const { headers, text, base64 } = (await Bun.file(answerFile).json()) as {
	headers: Record<string, string>;
	text?: string;
	base64?: string;
};
const body = text ?? Uint8Array.fromBase64(base64 ?? "");

export {};

const server = Bun.serve({
	hostname: "127.0.0.1",
	port: 0,
	fetch: () => new Response(body, { headers }),
});
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.port}` })}\n`);
