import { z } from "zod";
import type { CliCommand, CliContext } from "#core/plugin/CliCommand.ts";
import { serviceKey } from "#core/plugin/serviceKey.ts";
import type { BridgeView } from "#plugins/bridge/bridges/renderBridge.ts";
import { bridgeFault } from "#plugins/bridge/faults.ts";
import type { BridgeOperations } from "#plugins/bridge/operator/operateBridges.ts";

/** What the commands below need of the plugin; nobody else does. */
export const BridgeOperatorKey = serviceKey<BridgeOperations>()("bridge");

/** In the audit log: whoever has a shell on the machine. */
const ACTOR = "svc";
const LISTED_MAX = 200;
const USAGE = "bridge list | show <id> | retry <id> | disable <id>";
const CHAIN_USAGE = "bridge-chain <chainId> <true|false>";

/**
 * What operators do with bridges from a shell. Nothing is sent from here: what is to go on is made
 * due, and the running service takes it up.
 */
const bridgeCommand: CliCommand = {
	name: "bridge",
	usage: USAGE,
	summary: "list open bridges; show, retry or stop one of anybody's",
	async run(args, context) {
		const [what, ...rest] = args;
		if (what === "list" && rest.length === 0) return withOperations(context, list);
		const id = z.uuid().safeParse(rest[0]).data?.toLowerCase();
		if (id === undefined || rest.length !== 1) throw usage(USAGE);
		switch (what) {
			case "show":
				return withOperations(context, async ({ show }) => print(context, await show(id)));
			case "retry":
				return withOperations(context, async ({ retry }) => print(context, await retry(id, ACTOR)));
			case "disable":
				return withOperations(context, async ({ disable }) =>
					print(context, await disable(id, ACTOR)),
				);
			default:
				throw usage(USAGE);
		}
	},
};

const chainCommand: CliCommand = {
	name: "bridge-chain",
	usage: CHAIN_USAGE,
	summary: "take a chain out of bridging, or back in, for new bridges",
	async run(args, context) {
		const [id, word, ...rest] = args;
		const { data: chainId } = chainIdText.safeParse(id);
		const isOn = word === "true" ? true : word === "false" ? false : null;
		if (chainId === undefined || isOn === null || rest.length > 0) throw usage(CHAIN_USAGE);
		return withOperations(context, async ({ switchChain }) => {
			const before = await switchChain({ chainId, isOn }, ACTOR);
			const was = before === null ? "was not set before" : `was ${before} before`;
			context.out(`${chainId} ${isOn}`);
			context.note(`bridging over chain ${chainId} is ${isOn}; it ${was}`);
			return 0;
		});
	},
};

/** Commands of `bun run svc` about bridges. */
export const operatorCommands: readonly CliCommand[] = [bridgeCommand, chainCommand];

const chainIdText = z
	.string()
	.regex(/^[1-9][0-9]{0,15}$/)
	.transform(Number)
	.pipe(z.int());

function usage(text: string) {
	return bridgeFault.command({ public: `bun run svc ${text}` });
}

async function withOperations(
	context: CliContext,
	act: (operations: BridgeOperations, context: CliContext) => Promise<number>,
): Promise<number> {
	const { needs, close } = await context.openCore({ operations: BridgeOperatorKey });
	try {
		return await act(needs.operations, context);
	} finally {
		await close();
	}
}

async function list(operations: BridgeOperations, { out, note }: CliContext): Promise<number> {
	const { bridges, hasMore } = await operations.list(LISTED_MAX);
	for (const { id, status, amount, origin, destination, errorCode, where } of bridges) {
		const what = origin ? `${amount} ${origin.symbol}` : amount;
		const way = `${origin?.chain ?? "?"} > ${destination?.chain ?? "?"}`;
		out([id, status, errorCode ?? "-", what, way, where].join("\t"));
	}
	if (hasMore) note(`there are more than ${LISTED_MAX}`);
	return 0;
}

function print({ out }: CliContext, bridge: BridgeView): number {
	out(JSON.stringify(bridge, null, 2));
	return 0;
}
