// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {StockMaker} from "./StockMaker.sol";

interface ITransferable {
	function transfer(address to, uint256 value) external returns (bool);
}

/// A maker of pools for a token that nobody can mint: it pays with what it has.
contract TokenMaker is StockMaker {
	constructor(
		address issuer_,
		address weth_,
		address factory_,
		address manager_,
		address view_
	) StockMaker(issuer_, weth_, factory_, manager_, view_) {}

	function give(address token, uint256 value) internal override {
		if (token == weth) super.give(token, value);
		else ITransferable(token).transfer(msg.sender, value);
	}
}
