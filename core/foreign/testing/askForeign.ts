import { Fault } from "#core/fault.ts";
import { requestOnce } from "#core/foreign/requestOnce.ts";

/**
 * A process of its own, since trust in authorities and proxies comes with a process's environment.
 * Makes each call of `[url, isKept]` in turn, to loopback, and prints what came of them.
 */
const calls: [string, boolean][] = JSON.parse(process.argv[2] ?? "[]");
const outcomes: string[] = [];
for (const [url, isKept] of calls) {
	const asked = requestOnce({
		url: new URL(url),
		addresses: ["127.0.0.1"],
		accept: "*/*",
		bytesMax: 1_000,
		signal: AbortSignal.timeout(10_000),
		isKept,
	});
	outcomes.push(
		await asked.then(
			({ body }) => body.toString(),
			(error) => (error instanceof Fault ? reasonOf(error) : String(error)),
		),
	);
}
console.log(JSON.stringify(outcomes));
process.exit(0);

function reasonOf({ code, cause }: Fault): string {
	const isNamed = cause instanceof Error && "code" in cause;
	return `${code} ${isNamed ? String(cause.code) : ""}`.trim();
}
