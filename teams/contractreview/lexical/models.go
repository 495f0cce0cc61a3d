package lexical

import "sync"

// models are the categories this extractor reads, by name.
var models = sync.OnceValue(func() map[string]*model {
	m := map[string]*model{}
	for _, one := range []*model{
		governingLaw(), exclusivity(), convenience(), changeOfControl(), antiAssignment(),
		licenseGrant(), uncappedLiability(), capOnLiability(), insurance(),
	} {
		m[one.category] = one
	}
	return m
})

// Concepts that several categories share.
var (
	negation = set("not, no, neither, nor, never, cannot, without, nothing, none")
	mayNot   = set("may not, shall not, will not, must not, can not, cannot, is not, are not, not be, not to, agree not, neither, no party, nor shall, nor may, nor will, no right to, prohibit, never")
	modal    = set("shall, will, must, may, agree, can, undertake, require, should, covenant")
	definer  = set("shall mean, mean the, mean any, mean all, mean a, mean an, mean each, mean that, is defined, are defined, has the meaning, have the meaning")
)
