import { lookup } from "node:dns/promises";
import type { Resolve } from "#core/foreign/Resolve.ts";

/** Asks whatever this machine asks for names, its hosts file included. */
export const systemResolve: Resolve = async (host) => {
	const answers = await lookup(host, { all: true, order: "ipv4first" });
	return answers.map(({ address }) => address);
};
