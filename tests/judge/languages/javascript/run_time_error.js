nothing.at.all();
