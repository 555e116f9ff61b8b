import { Elysia } from "elysia";
import { getTransfer } from "#plugins/transfers/routes/getTransfer.ts";
import { getTransfers } from "#plugins/transfers/routes/getTransfers.ts";
import { postCancel } from "#plugins/transfers/routes/postCancel.ts";
import { postTransfers } from "#plugins/transfers/routes/postTransfers.ts";
import type { TransfersContext } from "#plugins/transfers/routes/TransfersContext.ts";

/** Returns the routes of wallet transfers. */
export function transferRoutes(context: TransfersContext) {
	return new Elysia({ prefix: "/v1/trading/wallet-transfers" })
		.use(postTransfers(context))
		.use(getTransfers(context))
		.use(getTransfer(context))
		.use(postCancel(context));
}
