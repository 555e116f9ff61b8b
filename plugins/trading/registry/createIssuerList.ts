// Reads the issuer's list of stock tokens.

import { z } from "zod";
import { type Address, isAddress } from "#core/chain/Hex.ts";
import { callOut } from "#core/http/call.ts";
import { readJson } from "#core/json.ts";
import { cleanLine } from "#core/outside.ts";
import {
	DEPLOYMENTS_MAX,
	LIST_BYTES_MAX,
	LIST_ROWS_MAX,
	LIST_TIMEOUT_MS,
	NAME_LENGTH_MAX,
	SYMBOL_LENGTH_MAX,
	TOKEN_DECIMALS_MAX,
	UID_LENGTH_MAX,
} from "#plugins/trading/limits.ts";

/** A token on our chain, as the issuer lists it. The chain's facts are read separately. */
type ListedAsset = {
	uid: string;
	address: Address;
	symbol: string;
	name: string;
	decimals: number;
	/** False where the issuer marks it as not active. */
	isActive: boolean;
};

export type IssuerList = {
	/** Reads the list. Never throws. */
	read(signal: AbortSignal): Promise<ListRead>;
};

export type ListRead =
	| {
			kind: "list";
			assets: ListedAsset[];
			/** Ids of rows that could not be parsed: these tokens are still on the list. */
			unreadable: { uids: ReadonlySet<string>; rows: number };
	  }
	/** The list could not be read. */
	| { kind: "failed"; detail: string };

type IssuerListOptions = {
	baseUrl: string;
	chainId: number;
	fetch?: typeof fetch;
	timeoutMs?: number;
};

const address = z
	.string()
	.max(42)
	.transform((text) => text.toLowerCase())
	.refine(isAddress, "no address");

const chainNumber = z.union([z.int().positive(), z.string().regex(/^[1-9]\d{0,15}$/)]);

const uid = z.string().min(1).max(UID_LENGTH_MAX);

const listSchema = z.object({ assets: z.array(z.unknown()).max(LIST_ROWS_MAX) });

const namedSchema = z.object({ id: uid });

const rowSchema = z.object({
	id: uid,
	tokenSymbol: z.string().min(1).max(SYMBOL_LENGTH_MAX),
	tokenName: z.string().max(NAME_LENGTH_MAX * 4),
	tokenDecimals: z.int().min(0).max(TOKEN_DECIMALS_MAX).default(18),
	status: z.string().max(64),
	deployments: z
		.array(
			z.object({ contractAddress: address, chainId: chainNumber.transform((id) => Number(id)) }),
		)
		.max(DEPLOYMENTS_MAX),
});

/**
 * Makes the reader of the issuer's list of stock tokens (`GET /rhj/assets`). Each row is parsed by
 * itself, so that an invalid one does not affect the others.
 */
export function createIssuerList(options: IssuerListOptions): IssuerList {
	const { baseUrl, chainId, timeoutMs = LIST_TIMEOUT_MS } = options;
	const url = `${baseUrl.replace(/\/+$/, "")}/rhj/assets`;
	return {
		async read(signal) {
			const answer = await callOut(
				{ url },
				{
					...{ timeoutMs, bytesMax: LIST_BYTES_MAX, refusalBytesMax: 0 },
					...{ signals: [signal], fetch: options.fetch },
				},
			);
			if (answer.kind === "silent") return failed(answer.detail);
			if (answer.status !== 200) return failed(`HTTP ${answer.status}`);
			if (answer.kind === "unreadable") return failed(answer.detail);
			return parseList(answer.text, chainId);
		},
	};
}

/** Parses the body of an answer with status 200. */
function parseList(text: string, chainId: number): ListRead {
	const json = readJson(text);
	if (json === undefined) return failed("no JSON");
	const read = listSchema.safeParse(json);
	if (!read.success) return failed("not the form of a list");
	const assets: ListedAsset[] = [];
	const uids = new Set<string>();
	let rows = 0;
	for (const given of read.data.assets) {
		const row = rowSchema.safeParse(given);
		if (row.success) {
			const here = row.data.deployments.filter((deployment) => deployment.chainId === chainId);
			assets.push(...here.map(({ contractAddress }) => listedOf(row.data, contractAddress)));
			continue;
		}
		rows++;
		const { data: named } = namedSchema.safeParse(given);
		if (named) uids.add(named.id);
	}
	return { kind: "list", assets, unreadable: { uids, rows } };
}

function listedOf(row: z.output<typeof rowSchema>, contract: Address): ListedAsset {
	return {
		uid: row.id,
		address: contract,
		symbol: row.tokenSymbol,
		name: cleanLine(row.tokenName, { lengthMax: NAME_LENGTH_MAX }) ?? row.tokenSymbol,
		decimals: row.tokenDecimals,
		isActive: row.status === "ASSET_STATUS_ACTIVE",
	};
}

function failed(detail: string): ListRead {
	return { kind: "failed", detail };
}
