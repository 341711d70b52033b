package protocol

// UserStatus says whether a user may log in.
type UserStatus uint8

// The states.
const (
	UserActive UserStatus = iota + 1
	UserInactive
)

func (c *coder) userStatus(s *UserStatus) { enum(c, "status", s, 0, uint8(UserInactive)) }

func (c *coder) permitted(p **Permissions) {
	optional(c, "has_permissions", p, func(p *Permissions) { c.sized("permissions", p.layout) })
}

// CreateUser is a new user.
type CreateUser struct {
	Name, Password string
	Status         UserStatus
	Permissions    *Permissions
}

func (u *CreateUser) layout(c *coder) {
	c.name("name", &u.Name)
	c.text("password", &u.Password)
	c.userStatus(&u.Status)
	c.permitted(&u.Permissions)
}

// UserRef names a user: the body of get and delete.
type UserRef struct{ User Identifier }

func (u *UserRef) layout(c *coder) { c.ident("user", &u.User) }

// UpdateUser changes what is given.
type UpdateUser struct {
	User   Identifier
	Name   *string
	Status *UserStatus
}

func (u *UpdateUser) layout(c *coder) {
	c.ident("user", &u.User)
	optional(c, "has_name", &u.Name, func(name *string) { c.name("name", name) })
	optional(c, "has_status", &u.Status, c.userStatus)
}

// UpdatePermissions replaces a user's permissions, by none if there are none.
type UpdatePermissions struct {
	User        Identifier
	Permissions *Permissions
}

func (u *UpdatePermissions) layout(c *coder) {
	c.ident("user", &u.User)
	c.permitted(&u.Permissions)
}

// ChangePassword is by the user, who knows the current one, or by an administrator.
type ChangePassword struct {
	User         Identifier
	Current, New string
}

func (u *ChangePassword) layout(c *coder) {
	c.ident("user", &u.User)
	c.text("current_password", &u.Current)
	c.text("new_password", &u.New)
}

// UserHeader is a user without permissions.
type UserHeader struct {
	ID      uint32
	Created uint64 // microseconds since 1970
	Status  UserStatus
	Name    string
}

func (u *UserHeader) layout(c *coder) {
	c.u32("id", &u.ID)
	c.u64("created", &u.Created)
	c.userStatus(&u.Status)
	c.name("name", &u.Name)
}

// UserDetails is a user; the reply of get and create. One that is not there has an empty
// body.
type UserDetails struct {
	UserHeader
	Permissions *Permissions
}

func (u *UserDetails) layout(c *coder) {
	u.UserHeader.layout(c)
	c.permitted(&u.Permissions)
}

// UserList is all users.
type UserList struct{ Users []UserHeader }

func (u *UserList) layout(c *coder) {
	toEnd(c, &u.Users, func(c *coder, h *UserHeader) { h.layout(c) })
}

// CreateToken is a new personal access token of the user who asks.
type CreateToken struct {
	Name   string
	Expiry uint64 // microseconds from now; 0: never
}

func (t *CreateToken) layout(c *coder) {
	c.name("name", &t.Name)
	c.u64("expiry", &t.Expiry)
}

// TokenRef names a token of the user who asks: the body of delete.
type TokenRef struct{ Name string }

func (t *TokenRef) layout(c *coder) { c.name("name", &t.Name) }

// RawToken is the secret, which is said once.
type RawToken struct{ Token string }

func (t *RawToken) layout(c *coder) { c.name("token", &t.Token) }

// TokenInfo is a token without its secret.
type TokenInfo struct {
	Name   string
	Expiry uint64 // microseconds since 1970; 0: never
}

// TokenList is all tokens of the user who asks.
type TokenList struct{ Tokens []TokenInfo }

func (t *TokenList) layout(c *coder) {
	toEnd(c, &t.Tokens, func(c *coder, v *TokenInfo) {
		c.name("name", &v.Name)
		c.u64("expiry", &v.Expiry)
	})
}
