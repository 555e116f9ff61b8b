// Starts anvil without automatic mining.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createRpc, type Rpc } from "./createRpc.ts";

/** A running anvil that cannot outlive this process, however that ends. */
export type Anvil = {
	port: number;
	rpc: Rpc;
	exited: Promise<number>;
	stop(): Promise<void>;
};

export type AnvilOptions = {
	accounts: number;
	/** Default: 31337. */
	chainId?: number | undefined;
	port?: number | undefined;
	/** A JSON state to start from; without it a new chain begins at `genesisTimeS`. */
	stateFile?: string | undefined;
	genesisTimeS?: number | undefined;
};

const START_TIMEOUT_MS = 150_000;

// The shell holds the reading end of our pipe: when we die, even by kill -9, `cat` sees the end and
// kills anvil. PR_SET_PDEATHSIG would only work on Linux. (POSIX gives a background job /dev/null
// as its stdin, hence descriptor 3; descriptor 4 is our stderr without the shell's own "Killed".
// When anvil ends by itself the watch ends too: its process id may soon belong to another process.)
const leash = `exec 3<&0 4>&2 2>/dev/null
"$@" </dev/null 2>&4 3<&- 4>&- & child=$!
{ cat <&3 >/dev/null; kill -9 $child; } 4>&- & watch=$!
exec 3<&- 4>&-
wait $child; code=$?
kill $watch
exit $code`;

/** Starts anvil on a free port, without automatic mining. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
	const child = Bun.spawn(
		["/bin/sh", "-c", leash, "sh", anvilBinary(), ...anvilArguments(options)],
		{
			stdin: "pipe",
			stdout: "pipe",
			stderr: "inherit",
			// Its own group: Ctrl-C in a terminal must reach us first, because the state is not saved
			// yet.
			detached: true,
		},
	);
	const port = await listeningPort(child.stdout, child.exited);
	const rpc = createRpc(`http://127.0.0.1:${port}`);
	await rpc.call("anvil_setLoggingEnabled", [false]);
	return {
		port,
		rpc,
		exited: child.exited,
		async stop() {
			child.stdin.end();
			await child.exited;
		},
	};
}

function anvilArguments(options: AnvilOptions): string[] {
	const { port = 0, chainId = 31_337 } = options;
	const args = ["--port", String(port), "--chain-id", String(chainId), "--no-mining"];
	args.push("--accounts", String(options.accounts), "--balance", "1000000", "--order", "fifo");
	// 300M gas holds the approvals of all actors in one block; finalized follows two blocks behind.
	args.push("--gas-limit", "300000000", "--slots-in-an-epoch", "1");
	// Old states (not blocks or logs) beyond these are dropped: a day of blocks must fit in memory.
	args.push("--prune-history", "128");
	if (options.stateFile !== undefined) args.push("--load-state", options.stateFile);
	if (options.genesisTimeS !== undefined) args.push("--timestamp", String(options.genesisTimeS));
	return args;
}

/** Returns the native binary; its npm wrapper needs Node on PATH. */
function anvilBinary(): string {
	const require = createRequire(import.meta.url);
	const arch = process.arch === "arm64" ? "arm64" : "amd64";
	const scope = dirname(dirname(require.resolve("@foundry-rs/anvil/package.json")));
	const file = join(scope, `anvil-${process.platform}-${arch}`, "bin", "anvil");
	if (!existsSync(file))
		throw new Error(`anvil for ${process.platform}-${arch} is not installed: ${file}`);
	return file;
}

async function listeningPort(
	output: ReadableStream<Uint8Array>,
	exited: Promise<number>,
): Promise<number> {
	const found = Promise.withResolvers<number>();
	const timer = setTimeout(
		() => found.reject(new Error("anvil did not listen in time")),
		START_TIMEOUT_MS,
	);
	exited.then((code) => found.reject(new Error(`anvil ended with code ${code} before listening`)));
	let text = "";
	const reading = output.pipeTo(
		new WritableStream({
			// Read for as long as it runs: a full pipe would stop anvil.
			write(chunk) {
				if (text.length > 100_000) return;
				text += new TextDecoder().decode(chunk);
				const port = text.match(/Listening on 127\.0\.0\.1:(\d+)/)?.[1];
				if (port) found.resolve(Number(port));
			},
		}),
	);
	reading.catch(() => {});
	return await found.promise.finally(() => clearTimeout(timer));
}
