/** A node's error object in a fixed form: `error` members come in every shape. */
export type RpcErrorObject = { code: number | null; message: string };
