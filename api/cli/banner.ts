import type { Service } from "#api/service/startService.ts";
import { VERSION } from "#api/version.ts";
import { bootTree } from "#core/plugin/bootTree.ts";

/** What a person sees once the service is up: the boot tree, and what to open first. */
export function banner(service: Service, given: { tookMs: number; more: readonly string[] }) {
	const { tookMs, more } = given;
	const { url, core, host, config, storage } = service;
	const chains = core.indexed.map(({ chain }) => chain.slug);
	const [first = ""] = chains;
	const others = core.reached
		.map(({ chain }) => chain.slug)
		.filter((slug) => !chains.includes(slug));
	const reached = others.length > 0 ? `; reached, not indexed: ${others.join(", ")}` : "";
	const ask = `bun run svc ask --url ${url}`;
	const asks = config.SANDBOX ? ["what's everyone buying", "volume kiln-folk"] : ["trending"];
	const sandbox = config.SANDBOX
		? "\nSANDBOX: a local chain with invented collections. Nothing here is real.\n"
		: "";
	return `
Tapeline ${VERSION}, role ${core.role}, up in ${Math.round(tookMs)} ms
${bootTree(host.steps)}
   chains   ${chains.join(", ")}${reached}
   storage  ${storage.where}
${sandbox}
   market   ${url}/v1/nft-market/collections?chain=${first}&mode=trending
   live     ${url.replace(/^http/, "ws")}/v1/nft-market/discover/stream?chain=${first}
   API      ${url}/openapi
${asks.map((text) => `   ask      ${ask} "${text}"\n`).join("")}\
${more.length > 0 ? `\n${more.map((line) => `   ${line}\n`).join("")}` : ""}
Ctrl-C stops everything that was started here.
`;
}
